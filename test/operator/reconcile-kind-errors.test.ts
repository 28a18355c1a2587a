import { describe, expect, test } from "vitest";
import type { BoundKind } from "../../crds/binding.ts";
import { attempt } from "../fakes/attempt-kind.ts";
import { batch } from "../fakes/batch-kind.ts";
import { aBatch } from "../fakes/batches.ts";
import { aConfigMap, aGadgetKind } from "../fakes/gadget.ts";
import { ReconcileBench } from "../fakes/reconcile-bench.ts";

interface Broken {
  isBroken: boolean;
}

/** A result, or an error while the kind is broken. */
function unless<Result>(broken: Broken, result: Result): Result {
  if (broken.isBroken) throw new TypeError("Cannot read properties of undefined");
  return result;
}

const gadget = { spec: { objects: [aConfigMap("a")] } };
const why = "Cannot read properties of undefined";
const conditionOf = ({ resource }: ReconcileBench, type: string) =>
  (
    resource.status as { conditions?: readonly { type: string; message: string }[] } | undefined
  )?.conditions?.find((condition) => condition.type === type);

/** Ready, Applied, Healthy and Stalled. */
const conditionsOf = (bench: ReconcileBench) =>
  ["Ready", "Applied", "Healthy", "Stalled"].map((type) => `${type} ${bench.condition(type)}`);

const invalid = [
  "Ready False SpecInvalid",
  "Applied True Applied",
  "Healthy False SpecInvalid",
  "Stalled True SpecInvalid",
];

describe("a function of a kind that throws", () => {
  test.for<{
    readonly name: string;
    readonly kindOf: (broken: Broken) => BoundKind;
    readonly resource: object;
    readonly says: string;
  }>([
    {
      name: "status()",
      kindOf: (broken) => aGadgetKind({ status: () => unless(broken, {}) }),
      resource: gadget,
      says: `status() of Gadget threw: ${why}`,
    },
    {
      name: "verdict()",
      kindOf: (broken) => aGadgetKind({ verdict: () => unless(broken, undefined) }),
      resource: gadget,
      says: `verdict() of Gadget threw: ${why}`,
    },
    {
      name: "status() of a kind with a record",
      kindOf: (broken) => ({ ...batch, status: (...state) => unless(broken, batch.status(...state)) }),
      resource: aBatch(1),
      says: `status() of Batch threw: ${why}`,
    },
    {
      name: "verdict() of a kind with a record whose status is predicted",
      kindOf: (broken) => ({ ...attempt, verdict: () => unless(broken, undefined) }),
      resource: { spec: { image: "busybox" } },
      says: `verdict() of ${attempt.definition.kind} threw: ${why}`,
    },
  ])(
    "is reported in the conditions, and does not stop its objects: $name",
    async ({ kindOf, resource, says }) => {
      const broken = { isBroken: true };
      const bench = new ReconcileBench({ kind: kindOf(broken) as typeof batch, resource });
      await bench.reconcile();
      await bench.reconcile();
      expect(conditionsOf(bench)).toEqual(invalid);
      expect(conditionOf(bench, "Ready")?.message).toBe(says);
      expect(bench.takeRequests().filter((request) => request.startsWith("apply"))).toHaveLength(1);
      expect(bench.events.map(({ reason }) => reason)).toEqual(["SpecInvalid"]);
      broken.isBroken = false;
      await bench.reconcile();
      expect(bench.condition("Ready")).not.toBe("False SpecInvalid");
      expect(bench.condition("Stalled")).toBeUndefined();
    },
  );

  test("keeps the fields and the conditions of the kind in the status", async () => {
    const broken = { isBroken: false };
    const own = { type: "Cached", status: "True", reason: "Warm", message: "" } as const;
    const kind = aGadgetKind({ status: () => unless(broken, { size: 3, conditions: [own] }) as object });
    const bench = new ReconcileBench({ kind, resource: gadget });
    await bench.reconcile();
    const before = bench.resource.status;
    expect(before).toMatchObject({ size: 3 });
    broken.isBroken = true;
    await bench.reconcile();
    expect(bench.resource.status).toMatchObject({ size: 3 });
    expect(conditionOf(bench, "Cached")).toMatchObject(own);
    expect(bench.condition("Ready")).toBe("False SpecInvalid");
    broken.isBroken = false;
    await bench.reconcile();
    expect(bench.resource.status).toEqual(before);
  });
});
