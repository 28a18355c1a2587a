import type { CustomResource } from "../../crds/object.ts";
import { digestOf, toCanonicalJson } from "../../synth/digest.ts";
import { idOf, type ObjectId } from "../../synth/manifest.ts";
import { NotOwnedError, ObjectRejectedError } from "../errors.ts";
import type { Clock } from "../ports.ts";
import type { ApplyStep } from "./decide-object.ts";
import { settledHash } from "./settled-hash.ts";

/** Delay before checking an object of another owner again; see decideRequeue(). */
const foreignMs = 20_000;
/**
 * The server releases a value of a deleted object, such as a node port, shortly after the deletion: retry soon, then with
 * exponential backoff.
 */
const contestedMs = { first: 250, longest: 20_000 };
/** The API server serves a changed CRD shortly after it has accepted it. A user may also change the CRD later. */
const schemaMs = { first: 100, longest: 60_000 };
/** Delay before retrying any other rejection. Its cause, such as an admission policy, may have changed. */
const rejectedMs = 60_000;

interface Refusal {
  readonly attempt: string;
  readonly error: Error;
  /** When this attempt was first rejected. */
  readonly sinceMs: number;
  /** Whether it may be accepted without an edit. No event reports that. */
  readonly isTriedAgain: boolean;
  readonly untilMs: number;
  /** Whether a run has encountered it since the delay was last computed. */
  isMet: boolean;
}

/**
 * Applies that the API server has rejected. They are not sent again with every event of the resource's other objects, but
 * only when one of their inputs has changed, or after a delay.
 */
export class Refusals {
  readonly #clock: Clock;
  readonly #byResource = new Map<string, Map<ObjectId, Refusal>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The error of this apply, if it was rejected a short time ago. */
  find(key: string, step: ApplyStep, resource: CustomResource): Error | undefined {
    const refusal = this.#byResource.get(key)?.get(idOf(step.manifest));
    if (refusal === undefined || refusal.untilMs < this.#clock.now()) return undefined;
    if (refusal.attempt !== describeAttempt(step, resource)) return undefined;
    refusal.isMet = true;
    return refusal.error;
  }

  /** Stores the error of an apply that would be rejected again. */
  remember(key: string, step: ApplyStep, resource: CustomResource, error: unknown): void {
    const isRejected = error instanceof ObjectRejectedError;
    if (!isRejected && !(error instanceof NotOwnedError)) return;
    const nowMs = this.#clock.now();
    const attempt = describeAttempt(step, resource);
    const refusals = this.#byResource.getOrInsertComputed(key, () => new Map<ObjectId, Refusal>());
    const before = refusals.get(idOf(step.manifest));
    const sinceMs = before?.attempt === attempt ? before.sinceMs : nowMs;
    const delays = isRejected ? delaysOf(error) : undefined;
    const doubling = delays && Math.min(delays.longest, Math.max(delays.first, nowMs - sinceMs));
    const forMs = doubling ?? (isRejected ? rejectedMs : foreignMs);
    const isTriedAgain = doubling !== undefined;
    const untilMs = nowMs + forMs;
    refusals.set(idOf(step.manifest), { attempt, error, sinceMs, isTriedAgain, untilMs, isMet: true });
  }

  /**
   * Delay before retrying applies that may be accepted without an edit; undefined: the run that ends now has encountered no
   * such rejection. A run may not encounter one, for example because the resource is suspended; a later run does.
   */
  retryAfterMs(key: string): number | undefined {
    let earliestMs = Number.POSITIVE_INFINITY;
    for (const refusal of this.#byResource.get(key)?.values() ?? []) {
      if (refusal.isMet && refusal.isTriedAgain) earliestMs = Math.min(earliestMs, refusal.untilMs);
      refusal.isMet = false;
    }
    if (earliestMs === Number.POSITIVE_INFINITY) return undefined;
    return Math.max(1, Math.ceil(earliestMs - this.#clock.now()) + 1);
  }

  /** Removes the rejections of a resource that was applied or deleted, or whose conflicting object was deleted. */
  forget(key: string): void {
    this.#byResource.delete(key);
  }
}

/** First and longest delay of a rejection that is retried with backoff. */
function delaysOf({ isContested, isBySchema }: ObjectRejectedError): typeof schemaMs | undefined {
  if (isContested) return contestedMs;
  return isBySchema ? schemaMs : undefined;
}

/** Text of all inputs of an attempt. It contains the generation, so any edit of the resource causes a retry. */
function describeAttempt({ manifest, guard, live }: ApplyStep, { metadata }: CustomResource): string {
  const { uid, generation, labels, annotations } = metadata;
  const seen = live === undefined ? "" : settledHash(live);
  return digestOf(toCanonicalJson({ manifest, guard, seen, uid, generation, labels, annotations }));
}
