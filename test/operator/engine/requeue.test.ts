import { describe, expect, test } from "vitest";
import type { Health } from "../../../operator/engine/health/health.ts";
import type { ApplyOutcome } from "../../../operator/engine/outcome.ts";
import { decideRequeue, parkedForMs, type RequeueInput, soonest } from "../../../operator/engine/requeue.ts";

const applied: ApplyOutcome = { state: "applied", count: 1 };
const quiet: RequeueInput = { applied, health: undefined, publish: undefined, nowMs: 5000, jitter: 0.5 };
const health: Health = { status: "InProgress", reason: "Pending", message: "", recheckAfterMs: 1500 };

describe("decideRequeue()", () => {
  test.for([
    { does: "does not requeue when all is healthy", input: {}, after: undefined },
    {
      does: "does not requeue for a wait for a watched object",
      input: {
        applied: { state: "waiting", message: "", isWatched: true },
      },
      after: undefined,
    },
    {
      does: "checks an unwatched object again",
      input: {
        applied: { state: "waiting", message: "", isWatched: false },
      },
      after: 30_000,
    },
    {
      does: "checks an object of another owner again",
      input: {
        applied: { state: "refused", reason: "NotOwned", message: "" },
      },
      after: 30_000,
    },
    {
      does: "checks a value that another object uses again",
      input: {
        applied: { state: "refused", reason: "ApplyRejected", message: "", isContested: true },
      },
      after: 30_000,
    },
    {
      does: "does not requeue a refusal that only an edit resolves",
      input: {
        applied: { state: "refused", reason: "SpecInvalid", message: "" },
      },
      after: undefined,
    },
    {
      does: "requeues when the delay for a commit ends",
      input: {
        publish: { state: "pending", sinceMs: 4600 },
      },
      after: 600,
    },
    {
      does: "does not requeue for a late commit, which the publisher reports",
      input: { publish: { state: "pending", sinceMs: 4000 } },
      after: undefined,
    },
    { does: "requeues at an instant that the kind requested", input: { instantInMs: 700.2 }, after: 701 },
    { does: "requeues soon for an instant that has just passed", input: { instantInMs: 0 }, after: 1 },
    {
      does: "requeues at an instant although the spec is refused",
      input: { applied: { state: "refused", reason: "SpecInvalid", message: "" }, instantInMs: 2 ** 40 },
      after: 2 ** 40,
    },
    { does: "requeues when health changes with time", input: { health }, after: 1500 },
    {
      does: "requeues for the earliest of several reasons",
      input: {
        health,
        publish: { state: "pending", sinceMs: 4600 },
      },
      after: 600,
    },
  ] as const)("$does", ({ input, after }) => {
    expect(decideRequeue({ ...quiet, ...input })).toBe(after);
  });

  test("spreads the checks of objects of other owners by a tenth in both directions", () => {
    const refused = { ...quiet, applied: { state: "refused", reason: "NotOwned", message: "" } } as const;
    expect(decideRequeue({ ...refused, jitter: 0 })).toBe(27_000);
    expect(decideRequeue({ ...refused, jitter: 0.999 })).toBe(32_994);
  });
});

describe("parkedForMs()", () => {
  test.for([
    {
      does: "delays an outcome whose commit is in progress",
      publish: { state: "pending", sinceMs: 5000 },
      forMs: 1000,
    },
    { does: "delays it by at most a second", publish: { state: "pending", sinceMs: 3999 }, forMs: 0 },
    { does: "does not delay it without a repository", publish: undefined, forMs: 0 },
    {
      does: "does not delay a failure",
      publish: { state: "failed", reason: "PushRefused", message: "" },
      forMs: 0,
    },
  ] as const)("$does", ({ publish, forMs }) => {
    expect(parkedForMs(publish, 5000)).toBe(forMs);
  });
});

test("soonest() is the smallest known delay", () => {
  expect([soonest(), soonest(undefined), soonest(3, undefined, 2)]).toEqual([undefined, undefined, 2]);
});
