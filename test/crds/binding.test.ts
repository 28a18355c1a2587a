import type { Construct } from "constructs";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { type BoundKind, bindKind, type ChartProps } from "../../crds/binding.ts";
import { ConfigMap } from "../../crds/core-kinds.ts";
import { defineKind } from "../../crds/kind.ts";
import type { KindContext } from "../../crds/kind-context.ts";
import type { ReadySource, SourceContext } from "../../crds/kind-source.ts";
import { Batch } from "../fakes/batch-kind.ts";

class Following {
  constructor(_: Construct, __: string, { source }: ChartProps<unknown, SourceContext<ReadySource>>) {
    void source?.changed.id;
  }
}

class Recalling {
  constructor(_: Construct, __: string, { record }: ChartProps<unknown, KindContext<{ finished: number }>>) {
    void record.finished;
  }
}

const fields = { definition: Batch, children: [] } as const;

describe("bindKind()", () => {
  test("has no context for a kind that declares none", () => {
    class Plain {}
    const status = () => ({ phase: "", finished: 0 });
    const kind: BoundKind<Construct> = bindKind({ ...fields, chart: Plain, status });
    expect(kind).toMatchObject({ hasContext: false, record: undefined });
  });

  test("type-checks that a chart gets its record, and that no field of the engine is part of it", () => {
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

  test("type-checks that a chart receives a source, and waits for it only if the kind requires it", () => {
    const of = () => ({ url: "https://git.example.dev/shop" });
    const status = () => ({ phase: "", finished: 0 });
    const kind: BoundKind<Construct> = bindKind({
      ...fields,
      chart: Following,
      source: { required: true, of },
      status: (_, __, { source, clock }) => ({
        phase: source?.state === "failed" ? source.reason : "",
        finished: clock.reached("2026-01-01T00:00:00Z") ? 1 : 0,
      }),
      verdict: ({ source }) =>
        source?.state === "failed" ? { status: "Failed", message: source.message } : undefined,
    });
    expect(kind).toMatchObject({ hasContext: true, source: { required: true, of } });
    class Plain {}
    const alone: BoundKind<Construct> = bindKind({
      ...fields,
      chart: Plain,
      source: { required: true, of },
      status,
    });
    expect(alone.hasContext).toBe(true);
    // @ts-expect-error: the source may be pending
    bindKind({ ...fields, chart: Following, source: { required: false, of }, status });
    // @ts-expect-error: there is no source
    bindKind({ ...fields, chart: Following, status });
  });

  test("binds no cluster-scoped kind to a source", () => {
    const definition = defineKind({
      group: "example.dev",
      kind: "Wide",
      plural: "wides",
      description: "Wide has no namespace.",
      scope: "Cluster",
      versions: [{ name: "v1", spec: z.object({}) }],
    });
    class Plain {}
    const source = { required: true, of: () => undefined };
    expect(() => bindKind({ definition, chart: Plain, children: [ConfigMap], source })).toThrow(
      'Cannot bind "Wide": "source" needs a namespaced kind',
    );
  });
});
