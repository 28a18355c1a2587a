import type { CustomResource } from "../../crds/object.ts";
import { digestOf, toCanonicalJson } from "../../synth/digest.ts";
import { idOf, type ObjectId } from "../../synth/manifest.ts";
import { NotOwnedError, ObjectRejectedError } from "../errors.ts";
import type { Clock } from "../ports.ts";
import type { ApplyStep } from "./decide-object.ts";
import { settledHash } from "./settled-hash.ts";

/** An object of another owner is checked again by then; see decideRequeue(). */
const foreignMs = 20_000;
/**
 * The server releases a value of a deleted object, such as a node port, a moment later: retried soon at first, then with
 * doubling delays.
 */
const contestedMs = { first: 250, longest: 20_000 };
/** The API server serves a changed definition a moment after it accepted it; any user may change one later. */
const schemaMs = { first: 100, longest: 60_000 };
/** The cause of the rejection, such as an admission policy, may have changed. */
const rejectedMs = 60_000;

interface Refusal {
  readonly attempt: string;
  readonly error: Error;
  /** When exactly this attempt was first rejected. */
  readonly sinceMs: number;
  /** It may be accepted without an edit, and no event would report that. */
  readonly isTriedAgain: boolean;
  readonly untilMs: number;
  /** A run encountered it since the delay was last computed. */
  isMet: boolean;
}

/**
 * Applies that were refused: they are not sent again with every event of the resource's other objects, but only when
 * something about them is different, or after a while.
 */
export class Refusals {
  readonly #clock: Clock;
  readonly #byResource = new Map<string, Map<ObjectId, Refusal>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The error of exactly this apply, if it was rejected a short time ago. */
  find(key: string, step: ApplyStep, resource: CustomResource): Error | undefined {
    const refusal = this.#byResource.get(key)?.get(idOf(step.manifest));
    if (refusal === undefined || refusal.untilMs < this.#clock.now()) return undefined;
    if (refusal.attempt !== describeAttempt(step, resource)) return undefined;
    refusal.isMet = true;
    return refusal.error;
  }

  /** Keeps an error that would come again. */
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
   * Delay before retrying what may be accepted without an edit; undefined: the run that ends now came upon no such refusal.
   * One that it did not come upon, for example because the resource was suspended meanwhile, is left to a later run.
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

  /** The resource was applied or deleted, or the conflicting object was deleted. */
  forget(key: string): void {
    this.#byResource.delete(key);
  }
}

/** First and longest delay of a refusal that is retried with backoff. */
function delaysOf({ isContested, isBySchema }: ObjectRejectedError): typeof schemaMs | undefined {
  if (isContested) return contestedMs;
  return isBySchema ? schemaMs : undefined;
}

/** All inputs of an attempt; any edit of the resource causes a retry. */
function describeAttempt({ manifest, guard, live }: ApplyStep, { metadata }: CustomResource): string {
  const { uid, generation, labels, annotations } = metadata;
  const seen = live === undefined ? "" : settledHash(live);
  return digestOf(toCanonicalJson({ manifest, guard, seen, uid, generation, labels, annotations }));
}
