import { Chart } from "cdk8s";
import type { Construct } from "constructs";
import { describe, expect, test } from "vitest";
import type { ChartProps } from "../../crds/binding.ts";
import { ApiUnavailableError } from "../../operator/errors.ts";
import { aGadgetKind } from "../fakes/gadget.ts";
import { childOf, ReconcileBench } from "../fakes/reconcile-bench.ts";
import { aTimedKind } from "../fakes/timed-kind.ts";

/** Seconds after the start of a bench's clock. */
const at = (seconds: number): string =>
  new Date(Date.parse("2026-01-01T00:00:00Z") + seconds * 1_000).toISOString();

describe("a reconcile of a kind that reads a clock", () => {
  const { kind } = aTimedKind();

  test("is requested again for the earliest instant that chart or status requested", async () => {
    const bench = new ReconcileBench({ kind, resource: { spec: { instants: [at(30)], until: at(10) } } });
    expect(await bench.reconcile()).toEqual({ requeueAfterMs: 10_000 });
    await bench.clock.advance(10_000);
    expect(await bench.reconcile()).toEqual({ requeueAfterMs: 20_000 });
    expect(bench.resource.status).toMatchObject({ isOver: true });
    await bench.clock.advance(20_000);
    expect(await bench.reconcile()).toEqual({});
    expect(childOf(bench, "passed")).toMatchObject({ data: { passed: "true" } });
  });

  test("sends nothing while it waits for an instant", async () => {
    const bench = new ReconcileBench({ kind, resource: { spec: { instants: [at(30)] } } });
    await bench.reconcile();
    bench.takeRequests();
    await bench.clock.advance(29_999);
    expect(await bench.reconcile()).toEqual({ requeueAfterMs: 1 });
    expect(bench.takeRequests()).toEqual([]);
  });

  test("runs at an instant although a failure is retried later than that", async () => {
    const bench = new ReconcileBench({ kind, resource: { spec: { instants: [at(30)] } } });
    bench.cluster.refuse("apply ConfigMap/passed", new ApiUnavailableError("down", { status: 500 }));
    await expect(bench.reconcile()).rejects.toThrow("down");
    expect(bench.wakeUps).toEqual(["shop/web 30000"]);
  });

  test("refuses a spec whose instant is not valid", async () => {
    const bench = new ReconcileBench({ kind, resource: { spec: { instants: ["soon"] } } });
    await bench.reconcile();
    expect(bench.condition("Ready")).toBe("False SpecInvalid");
  });
});

test("the chart of a plain kind receives its resource and what was observed, and nothing else", async () => {
  const given: string[] = [];
  class Plain extends Chart {
    constructor(scope: Construct, id: string, props: ChartProps<unknown>) {
      super(scope, id);
      given.push(...Object.keys(props));
    }
  }
  await new ReconcileBench({ kind: aGadgetKind({ chart: Plain }) }).reconcile();
  expect(given).toEqual(["resource", "observed"]);
});
