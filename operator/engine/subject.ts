import type { CustomResource, LiveObject, ObjectKind } from "../../crds/object.ts";
import type { ObjectId } from "../../synth/manifest.ts";
import type { StepResult } from "./apply.ts";
import type { PruneDecision, PruneInput } from "./decide-prune.ts";
import type { DesiredSet, WatchedObjects } from "./desired-set.ts";
import type { Health } from "./health/health.ts";
import type { ApplyOutcome } from "./outcome.ts";
import type { Plan, PlanInput } from "./plan.ts";

/** Objects that were read in this run because no local copy holds them, by id. */
export type Claimed = Map<ObjectId, LiveObject>;

/** A resource and its desired set. */
export interface Target {
  readonly resource: CustomResource;
  readonly desired: DesiredSet;
}

/** One resource that is converged: everything in which two kinds of resources differ. */
export interface Subject {
  /** Of the resource: its key, its kind, and what messages call it: `Echo/hello`. */
  readonly key: string;
  readonly kind: ObjectKind;
  readonly title: string;
  /** The new owner of an adopted object, for events: `this resource's`. */
  readonly whose: string;
  /** Objects that earlier runs read. */
  readonly claimed?: ReadonlyMap<ObjectId, LiveObject>;
  /** Reads the resource and computes its desired set; called before each plan. Undefined: the resource was deleted. */
  desire(claimed: Claimed): Target | undefined;
  /** The live object of a desired one, regardless of its creator. */
  observed(claimed: Claimed): PlanInput["observed"];
  watch(kind: ObjectKind): WatchedObjects;
  assess(live: LiveObject): Health;
  finished?(): readonly string[] | undefined;
  askKind?: NonNullable<PlanInput["askKind"]>;
  /** Records what a plan is about to create, so that a successor finds it; called before anything is sent. */
  record(plan: Plan, target: Target): Promise<void>;
  /** Takes note of applied objects before the next plan. */
  onApplied?(results: readonly StepResult[]): void;
  /** Everything that was to be applied now is applied. */
  onSettled?(): void;
  /** The input of the prune decision, and why surplus objects are deleted; undefined: the owned objects are not known yet. */
  surplus(
    target: Target,
    claimed: Claimed,
  ): { readonly input: () => PruneInput; readonly why: string } | undefined;
  /** Replaces the outcome of a plan that was carried out. */
  describeEnd?(plan: Plan): ApplyOutcome | undefined;
  /** Takes note of a failure. Returns its outcome where the resource can explain it better than its text. */
  onFailure?(error: unknown): ApplyOutcome | undefined;
  /** Called at the end of a run that did not fail. */
  conclude?(ended: {
    readonly outcome: ApplyOutcome;
    readonly pruned: PruneDecision | undefined;
  }): Promise<void>;
}
