import type { Construct } from "constructs";
import { describe, expect, test } from "vitest";
import { type BoundKind, bindKind, type ChartProps } from "../../crds/binding.ts";
import type { KindContext } from "../../crds/kind-context.ts";
import { Batch } from "../fakes/batch-kind.ts";

class Recalling {
  constructor(_: Construct, __: string, { record }: ChartProps<unknown, KindContext<{ finished: number }>>) {
    void record.finished;
  }
}

const fields = { definition: Batch, children: [] } as const;

describe("bindKind()", () => {
  test("has no context for a kind that asks for none", () => {
    class Plain {}
    const status = () => ({ phase: "", finished: 0 });
    const kind: BoundKind<Construct> = bindKind({ ...fields, chart: Plain, status });
    expect(kind).toMatchObject({ hasContext: false, record: undefined });
  });

  test("type-checks that a chart gets its record, and that no field of the engine is one", () => {
    const fold = () => ({ finished: 0 });
    const status = () => ({ phase: "" });
    const record = { fields: ["finished"], fold } as const;
    bindKind({ ...fields, chart: Recalling, record, status });
    // @ts-expect-error: there is no record
    bindKind({ ...fields, chart: Recalling });
    // @ts-expect-error: the record has no such field
    bindKind({ ...fields, chart: Recalling, record: { fields: ["phase"], fold: () => ({ phase: "" }) } });
    // @ts-expect-error: conditions are the engine's
    bindKind({ ...fields, chart: Recalling, record: { fields: ["conditions"], fold } });
  });
});
