import { describe, expect, test } from "vitest";
import type { Health } from "../../../operator/engine/health/health.ts";
import type { ApplyOutcome } from "../../../operator/engine/outcome.ts";
import { decideRequeue, parkedForMs, type RequeueInput } from "../../../operator/engine/requeue.ts";

const applied: ApplyOutcome = { state: "applied", count: 1 };
const quiet: RequeueInput = { applied, health: undefined, publish: undefined, nowMs: 5000, jitter: 0.5 };
const health: Health = { status: "InProgress", reason: "Pending", message: "", recheckAfterMs: 1500 };

describe("decideRequeue()", () => {
  test.for([
    { does: "leaves it to events when all is well", input: {}, after: undefined },
    {
      does: "leaves it to events when an object is waited for that we watch",
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
      does: "looks again at a foreign object",
      input: {
        applied: { state: "refused", reason: "NotOwned", message: "" },
      },
      after: 30_000,
    },
    {
      does: "looks again at what another object holds",
      input: {
        applied: { state: "refused", reason: "ApplyRejected", message: "", isContested: true },
      },
      after: 30_000,
    },
    {
      does: "leaves a refusal to the edit that heals it",
      input: {
        applied: { state: "refused", reason: "SpecInvalid", message: "" },
      },
      after: undefined,
    },
    {
      does: "comes back when the parking time of a commit ends",
      input: {
        publish: { state: "pending", sinceMs: 4600 },
      },
      after: 600,
    },
    {
      does: "leaves a late commit to the publisher",
      input: { publish: { state: "pending", sinceMs: 4000 } },
      after: undefined,
    },
    { does: "comes back at an instant that the kind asked for", input: { instantInMs: 700.2 }, after: 701 },
    { does: "comes back soon for an instant that has just passed", input: { instantInMs: 0 }, after: 1 },
    {
      does: "comes back at an instant although the spec is refused",
      input: { applied: { state: "refused", reason: "SpecInvalid", message: "" }, instantInMs: 2 ** 40 },
      after: 2 ** 40,
    },
    { does: "comes back when health changes by time alone", input: { health }, after: 1500 },
    {
      does: "comes back for the first of several reasons",
      input: {
        health,
        publish: { state: "pending", sinceMs: 4600 },
      },
      after: 600,
    },
  ] as const)("$does", ({ input, after }) => {
    expect(decideRequeue({ ...quiet, ...input })).toBe(after);
  });

  test("spreads the checks of foreign objects over a tenth to both sides", () => {
    const refused = { ...quiet, applied: { state: "refused", reason: "NotOwned", message: "" } } as const;
    expect(decideRequeue({ ...refused, jitter: 0 })).toBe(27_000);
    expect(decideRequeue({ ...refused, jitter: 0.999 })).toBe(32_994);
  });
});

describe("parkedForMs()", () => {
  test.for([
    {
      does: "parks an outcome whose commit is under way",
      publish: { state: "pending", sinceMs: 5000 },
      forMs: 1000,
    },
    { does: "parks it no longer than a second", publish: { state: "pending", sinceMs: 3999 }, forMs: 0 },
    { does: "does not park without a repository", publish: undefined, forMs: 0 },
    {
      does: "does not park what failed",
      publish: { state: "failed", reason: "PushRefused", message: "" },
      forMs: 0,
    },
  ] as const)("$does", ({ publish, forMs }) => {
    expect(parkedForMs(publish, 5000)).toBe(forMs);
  });
});
