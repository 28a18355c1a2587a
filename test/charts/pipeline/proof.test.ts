import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assessProof, type Proof } from "../../../charts/pipeline/proof.ts";
import type { ReleaseView } from "../../../charts/pipeline/release-view.ts";
import type { Verification } from "../../../crds/pipeline-stage.ts";
import type { PromotionSpec } from "../../../crds/promotion.ts";
import { limitRuns } from "../../long.ts";
import { job } from "./stages.ts";
import { aClock } from "./wall-clock.ts";

const at = (minutes: number): string =>
  new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString().replace(".000Z", "Z");
const minuteMs = 60_000;
const soak = 10;
const timeout = 30;

/** The events of a deployment, in minutes after it. */
interface Facts {
  /** Since when the Release has been healthy without interruption. Undefined: never. */
  readonly healthyAt?: number;
  /** When its apply was rejected permanently. */
  readonly refusedAt?: number;
  /** The end and the outcome of the verification's Job; undefined: there is no verification. */
  readonly job?: { readonly endsAt: number; readonly outcome: "Passed" | "Failed" } | undefined;
  readonly createdAt?: number;
}

const verification = job("e2e") as Verification;

/** The fields of the Release at a minute. */
function releaseAt(now: number, { healthyAt = Number.POSITIVE_INFINITY, refusedAt }: Facts): ReleaseView {
  const isHealthy = healthyAt <= now;
  const deployed = { revision: "r", digest: "d", generation: 1, since: at(0) };
  const isRefused = refusedAt !== undefined && refusedAt <= now;
  const ready = isRefused ? "ApplyRejected" : isHealthy ? "Reconciled" : "Progressing";
  const condition = (type: string, isTrue: boolean, reason: string, changedAt: number) =>
    [
      type,
      {
        ...{ type, status: isTrue ? "True" : "False", reason, message: `it is ${reason}` },
        lastTransitionTime: at(changedAt),
      },
    ] as const;
  return {
    ...{ key: "shop/web", name: "web", namespace: "shop", stage: "prod", asked: undefined, next: undefined },
    ...{ pin: { revision: "r", digest: "d" }, isPinOurs: true, isSuspended: false, isDeleting: false },
    ...{ isObserved: true, generation: 1 },
    deployed: isHealthy ? { ...deployed, healthySince: at(healthyAt) } : deployed,
    conditions: new Map([
      condition("Healthy", isHealthy, isHealthy ? "Healthy" : "Progressing", isHealthy ? healthyAt : 0),
      condition("Ready", isHealthy && !isRefused, ready, isRefused ? refusedAt : 0),
    ]),
  };
}

/** The proof of the stage at a minute. */
function proofAt(now: number, facts: Facts): Proof {
  const { job: run, createdAt = 0 } = facts;
  const spec = {
    ...{ pipeline: "shop", stage: "prod", revision: "r", digest: "s" },
    releases: [{ namespace: "shop", name: "web", digest: "d" }],
  } as PromotionSpec;
  const isOver = run !== undefined && run.endsAt <= now;
  return assessProof({
    ...{ spec, createdAt: at(createdAt), clock: aClock(at(now)), jobOf: () => "job" },
    rules: {
      soak: `${soak}m`,
      verify: run === undefined ? [] : [verification],
      timeoutMs: timeout * minuteMs,
    },
    releases: new Map([["shop/web", releaseAt(now, facts)]]),
    verifications: isOver
      ? [{ name: "e2e", job: "job", outcome: run.outcome, finishedAt: at(run.endsAt) }]
      : undefined,
  });
}

describe("assessProof()", () => {
  test.for<{ when: string; facts: Facts; now: number; is: object }>([
    {
      when: "the soak is over",
      ...{ facts: { healthyAt: 2 }, now: 12, is: { state: "Passed", at: at(12) } },
    },
    { when: "the soak is not over", ...{ facts: { healthyAt: 2 }, now: 11, is: { state: "Proving" } } },
    {
      when: "the soak is over at the deadline",
      ...{ facts: { healthyAt: 20 }, now: 30, is: { state: "Passed", at: at(30) } },
    },
    {
      when: "it is not healthy at the deadline",
      ...{ facts: {}, now: 30, is: { state: "Failed", reason: "TimedOut", at: at(30) } },
    },
    { when: "it is not healthy before the deadline", ...{ facts: {}, now: 29, is: { state: "Proving" } } },
    {
      when: "it is not healthy for long enough at the deadline",
      ...{ facts: { healthyAt: 25 }, now: 30, is: { state: "Failed", reason: "TimedOut", at: at(30) } },
    },
    {
      when: "the soak ends after the deadline, while no operator runs",
      ...{ facts: { healthyAt: 25 }, now: 90, is: { state: "Failed", reason: "TimedOut", at: at(30) } },
    },
    {
      when: "it was deployed long before the Promotion was created",
      ...{ facts: { healthyAt: 2, createdAt: 90 }, now: 90, is: { state: "Passed", at: at(90) } },
    },
    {
      when: "it was refused, from which time the deadline counts",
      ...{ facts: { healthyAt: 2, refusedAt: 5 }, now: 34, is: { state: "Proving" } },
    },
    {
      when: "it was refused for too long",
      ...{ facts: { healthyAt: 2, refusedAt: 5 }, now: 35, is: { state: "Failed", at: at(35) } },
    },
    {
      when: "the verification runs while the stage is proven",
      facts: { healthyAt: 2, job: { endsAt: 20, outcome: "Passed" } },
      ...{ now: 19, is: { state: "Proving", message: 'verification "e2e" has not finished' } },
    },
    {
      when: "the verification ends last",
      facts: { healthyAt: 2, job: { endsAt: 20, outcome: "Passed" } },
      ...{ now: 20, is: { state: "Passed", at: at(20) } },
    },
    {
      when: "the verification does not end",
      facts: { healthyAt: 2, job: { endsAt: 99, outcome: "Passed" } },
      ...{ now: 42, is: { state: "Failed", reason: "TimedOut", at: at(42) } },
    },
    {
      when: "the verification ends after the deadline, while no operator runs",
      facts: { healthyAt: 2, job: { endsAt: 60, outcome: "Passed" } },
      ...{ now: 90, is: { state: "Failed", reason: "TimedOut", at: at(42) } },
    },
    {
      when: "the verification fails",
      facts: { healthyAt: 2, job: { endsAt: 7, outcome: "Failed" } },
      ...{ now: 8, is: { state: "Failed", reason: "VerificationFailed", at: at(7) } },
    },
  ])("is $is.state when $when", ({ facts, now, is }) => {
    expect(proofAt(now, facts)).toMatchObject(is);
  });

  test("returns the same outcome at any later time", () => {
    const minutes = fc.integer({ min: 0, max: 120 });
    const facts = fc.record({
      healthyAt: minutes,
      job: fc.option(fc.record({ endsAt: minutes, outcome: fc.constantFrom("Passed", "Failed") }), {
        nil: undefined,
      }),
      createdAt: minutes,
    }) as fc.Arbitrary<Facts>;
    fc.assert(
      fc.property(facts, minutes, minutes, (one, first, later) => {
        const now = Math.max(one.createdAt ?? 0, Math.min(first, later));
        const before = proofAt(now, one);
        fc.pre(before.state !== "Proving");
        const after = proofAt(now + Math.abs(first - later), one);
        expect(after.state).toBe(before.state);
        if (before.state === "Passed") expect(after).toEqual(before);
      }),
      { numRuns: limitRuns(2_000) },
    );
  });
});
