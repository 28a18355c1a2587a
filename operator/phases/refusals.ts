import type { CustomResource } from "../../crds/object.ts";
import { digestOf, toCanonicalJson } from "../../synth/digest.ts";
import { idOf, type ObjectId } from "../../synth/manifest.ts";
import type { ApplyStep } from "../core/plan.ts";
import { settledHash } from "../core/settled-hash.ts";
import { NotOwnedError, ObjectRejectedError } from "../errors.ts";
import type { Clock } from "../ports.ts";

/** What another object stands in the way of is looked at again by then; see decideRequeue(). */
const contestedMs = 20_000;
/** Somebody may have changed what refused it, such as an admission policy. */
const rejectedMs = 60_000;

interface Refusal {
  readonly attempt: string;
  readonly error: Error;
  readonly untilMs: number;
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

  /** The error of this very apply, if it was refused a short time ago. */
  find(key: string, step: ApplyStep, resource: CustomResource): Error | undefined {
    const refusal = this.#byResource.get(key)?.get(idOf(step.manifest));
    if (refusal === undefined || refusal.untilMs < this.#clock.now()) return undefined;
    return refusal.attempt === describeAttempt(step, resource) ? refusal.error : undefined;
  }

  /** Keeps an error that would come again. */
  remember(key: string, step: ApplyStep, resource: CustomResource, error: unknown): void {
    const isRejected = error instanceof ObjectRejectedError;
    if (!isRejected && !(error instanceof NotOwnedError)) return;
    const forMs = isRejected && !error.isContested ? rejectedMs : contestedMs;
    const untilMs = this.#clock.now() + forMs;
    const refusals = this.#byResource.getOrInsertComputed(key, () => new Map<ObjectId, Refusal>());
    refusals.set(idOf(step.manifest), { attempt: describeAttempt(step, resource), error, untilMs });
  }

  /** The resource is fine or gone, or what stood in its way is. */
  forget(key: string): void {
    this.#byResource.delete(key);
  }
}

/** Everything that may make a difference; whoever touches the resource has it tried again. */
function describeAttempt({ manifest, guard, live }: ApplyStep, { metadata }: CustomResource): string {
  const { uid, generation, labels, annotations } = metadata;
  const seen = live === undefined ? "" : settledHash(live);
  return digestOf(toCanonicalJson({ manifest, guard, seen, uid, generation, labels, annotations }));
}
