import { describe, expect, test } from "vitest";
import type { LoadedRelease } from "../../../../operator/desire/release/load-release.ts";
import type { Withheld } from "../../../../operator/desire/release/release-memory.ts";
import type { ReleaseOutcome } from "../../../../operator/desire/release/release-outcome.ts";
import { type Withholding, withholdStatus } from "../../../../operator/desire/release/withhold-status.ts";
import type { ResourceStatus } from "../../../../operator/engine/status.ts";

const plan = {
  revision: "a".repeat(40),
  digest: "d1",
  create: 0,
  change: 1,
  delete: 0,
  held: 0,
  inputs: "i1",
};
const ready = (status: "True" | "False", observedGeneration: number) => ({
  ...{ type: "Ready", status, reason: "Reconciled", message: "", lastTransitionTime: "", observedGeneration },
});
const reconciling = { ...ready("True", 2), type: "Reconciling" };

const unwritten: Withheld = { sinceMs: undefined, isProgressTold: false, isFetched: false };

function releaseWith(status: object, withheld: Withheld): LoadedRelease {
  return { resource: { status }, memory: { withheld } } as unknown as LoadedRelease;
}

/** How long a status is withheld, in milliseconds. */
function withheldFor(
  before: object,
  after: object,
  {
    isPlanning = false,
    pending,
  }: { isPlanning?: boolean; pending?: { others: number; isLong?: boolean } } = {},
): number {
  const release = releaseWith(before, unwritten);
  const status = after as unknown as ResourceStatus;
  const applied = { state: "applied", count: 1 } as const;
  const { others: othersPending = 0, isLong = false } = pending ?? {};
  const outcome = pending ? ({ state: "pending", message: "Waiting", isLong } as const) : applied;
  const ending = { change: { status, patch: {} }, ended: { outcome, isPlanning }, othersPending };
  return withholdStatus(release, ending, 0).forMs;
}

describe("withholdStatus() decides about", () => {
  const before = {
    observedGeneration: 1,
    deployed: { generation: 1 },
    conditions: [ready("True", 1)],
    next: plan,
  };
  const same = {
    observedGeneration: 2,
    deployed: { generation: 2 },
    conditions: [ready("True", 2)],
    next: plan,
  };
  const onItsWay = { ...same, conditions: [ready("False", 2), reconciling] };

  test.for<readonly [string, object, number]>([
    ["a status that is on its way", onItsWay, 2_000],
    [
      "one whose plan has less left to do",
      { ...onItsWay, next: { ...plan, change: 0, inputs: "i2" } },
      2_000,
    ],
    ["one with the plan of another commit", { ...onItsWay, next: { ...plan, revision: "b" } }, 0],
    ["one with another digest", { ...onItsWay, next: { ...plan, digest: "d2" } }, 0],
    ["one that compares the plan", { ...onItsWay, next: { ...plan, compared: [] } }, 0],
    ["one whose plan has failed", { ...onItsWay, next: { ...plan, error: "too large" } }, 0],
    ["one that is ready", same, 0],
  ])("%s", ([, after, forMs]) => {
    expect(withheldFor(before, after)).toBe(forMs);
  });

  test("a new generation alone while its plan is made", () => {
    expect(withheldFor(before, same, { isPlanning: true })).toBe(2_000);
    expect(
      withheldFor(before, { ...same, deployed: { generation: 2, digest: "d2" } }, { isPlanning: true }),
    ).toBe(0);
    expect(withheldFor(before, { ...same, conditions: [ready("False", 2)] }, { isPlanning: true })).toBe(0);
    expect(withheldFor(before, { ...same, next: { ...plan, digest: "d2" } }, { isPlanning: true })).toBe(0);
  });

  test.for([
    [{ others: 0 }, 2_000],
    [{ others: 1 }, 2_200],
    [{ others: 100 }, 22_000],
    [{ others: 10_000 }, 30_000],
    [{ others: 100, isLong: true }, 2_000],
  ] as const)("one that is pending: %o, which is withheld for %i ms", ([pending, forMs]) => {
    expect(withheldFor(before, onItsWay, { pending })).toBe(forMs);
  });

  test("the wait for a render, whose time counts from its start, but only once until a status is written", () => {
    const fetching = { state: "pending", message: "Waiting for its source" } as const;
    const rendering = { ...fetching, isFetched: true };
    const run = (withheld: Withheld, outcome: ReleaseOutcome, nowMs: number): Withholding => {
      const change = { status: onItsWay as unknown as ResourceStatus, patch: {} };
      const ending = { change, ended: { outcome }, othersPending: 0 };
      return withholdStatus(releaseWith(before, withheld), ending, nowMs);
    };
    const asked = run(unwritten, fetching, 0);
    const started = run(asked.withheld, rendering, 20_000);
    expect(started.forMs).toBe(2_000);
    const again = run(run(started.withheld, fetching, 21_000).withheld, rendering, 21_500);
    expect(again.forMs).toBe(500);
    const late = run(again.withheld, rendering, 22_000);
    expect(late.forMs).toBe(0);
    expect(run(late.onceWritten, rendering, 22_500).forMs).toBe(1_500);
  });
});
