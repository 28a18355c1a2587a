import type { LiveObject } from "../../crds/object.ts";
import type { ObjectId } from "../../synth/manifest.ts";
import { lastStage, waitedStage } from "./apply-stage.ts";
import type { Decision } from "./decide-object.ts";
import type { DesiredObject } from "./desired-set.ts";
import { countsAsHealthy, type Health } from "./health/health.ts";
import { describeId } from "./object-text.ts";

/** Why an object is not applied yet. */
export type BlockedReason =
  /** The cluster has no such kind (yet). */
  | "KindUnknown"
  /** The account may not watch its kind, so its state would be unknown. */
  | "KindNotWatched"
  /** The cache of its kind has not synced yet. This is not reported. */
  | "NotSynced"
  /** An object that it needs is not healthy yet. */
  | "Dependency"
  /** An object of an earlier stage does not exist yet. */
  | "Stage";

export interface BlockedObject {
  readonly object: DesiredObject;
  readonly reason: BlockedReason;
  /** Objects whose events requeue the resource. */
  readonly on: readonly ObjectId[];
  /** For users. */
  readonly message: string;
}

/** A needed object, and why it is not ready. */
export interface Lacking {
  readonly id: ObjectId;
  readonly lack: string;
}

/** Records the results of earlier objects, and decides whether the next one may be applied. */
export class Gates {
  readonly #assess: (live: LiveObject) => Health;
  readonly #decisions = new Map<ObjectId, Decision | "done" | undefined>();
  /** Why an object is not ready, by its id; undefined: it is ready. */
  readonly #lacks = new Map<ObjectId, string | undefined>();
  readonly #waitedFor: ObjectId[] = [];
  /** The first object that neither exists nor is about to be created. */
  #missing: ObjectId | undefined;
  /** The first object of the waited stage that is not ready. Computed for the first object of a later stage. */
  #first: { readonly lacking: Lacking | undefined } | undefined;

  constructor(assess: (live: LiveObject) => Health) {
    this.#assess = assess;
  }

  /**
   * Records the decision about an object. Called for every object in apply order; undefined: the object is not applied yet.
   * `done`: it is a Job that has completed and was deleted automatically.
   */
  note({ id, stage }: DesiredObject, decision: Decision | "done" | undefined): void {
    this.#decisions.set(id, decision);
    if (stage === waitedStage) this.#waitedFor.push(id);
    const isThere = decision === "done" || decision?.does === "keep" || decision?.does === "apply";
    if (!isThere) this.#missing ??= id;
  }

  /** The gate that blocks an object; undefined: it may be applied. */
  findBlock(object: DesiredObject): BlockedObject | undefined {
    const needed = this.findLacking(object.needs);
    if (needed !== undefined) return blockedBy(object, "Dependency", needed);
    if (object.stage === waitedStage) return undefined;
    this.#first ??= { lacking: this.findLacking(this.#waitedFor) };
    const { lacking } = this.#first;
    if (lacking !== undefined) return blockedBy(object, "Stage", lacking);
    if (object.stage < lastStage || this.#missing === undefined) return undefined;
    return blockedBy(object, "Stage", { id: this.#missing, lack: notThere });
  }

  /** The first of these objects that is not up to date and healthy. */
  findLacking(ids: readonly ObjectId[]): Lacking | undefined {
    for (const id of ids) {
      if (!this.#lacks.has(id)) this.#lacks.set(id, this.#lackOf(id));
      const lack = this.#lacks.get(id);
      if (lack !== undefined) return { id, lack };
    }
    return undefined;
  }

  #lackOf(id: ObjectId): string | undefined {
    const decision = this.#decisions.get(id);
    if (decision === "done") return undefined;
    if (decision?.does !== "keep") return notThere;
    const health = this.#assess(decision.live);
    return countsAsHealthy(health) ? undefined : health.message || "it is not ready yet";
  }
}

const notThere = "it is not applied yet";

/** Describes an object that waits for another object of the same resource. */
export function blockedBy(
  object: DesiredObject,
  reason: "Dependency" | "Stage",
  { id, lack }: Lacking,
): BlockedObject {
  const message = `${describeId(object.id)} waits for ${describeId(id)}: ${lack}`;
  return { object, reason, on: [id], message };
}
