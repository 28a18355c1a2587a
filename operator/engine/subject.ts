import type { CustomResource, LiveObject, ObjectKind } from "../../crds/object.ts";
import type { ObjectId } from "../../synth/manifest.ts";
import type { StepResult } from "./apply.ts";
import type { PruneDecision, PruneInput } from "./decide-prune.ts";
import type { DesiredSet, WatchedObjects } from "./desired-set.ts";
import type { Health } from "./health/health.ts";
import type { ApplyOutcome } from "./outcome.ts";
import type { Plan, PlanInput } from "./plan.ts";

/** Objects that this run has read because the local copies do not contain them, by id. */
export type Claimed = Map<ObjectId, LiveObject>;

/** A resource and its desired set. */
export interface Target {
  readonly resource: CustomResource;
  readonly desired: DesiredSet;
}

/** A resource to converge. It contains everything that differs between sorts of resources. */
export interface Subject {
  /** Key and kind of the resource, and its title in messages, such as `Echo/hello`. */
  readonly key: string;
  readonly kind: ObjectKind;
  readonly title: string;
  /** The new owner of an adopted object, for events: `this resource's`. */
  readonly whose: string;
  /** Where the manifest of an object comes from, for messages: `web/deployment.yaml:12`. Default: not mentioned. */
  readonly originOf?: (id: ObjectId) => string | undefined;
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
  /** Records the objects that a plan will create. Called before any request, so that a later leader finds them. */
  record(plan: Plan, target: Target): Promise<void>;
  /** Called with each applied object before the next plan. */
  onApplied?(result: StepResult): void;
  /** Called when all objects that may be applied now are applied. */
  onSettled?(): void;
  /** The input of the prune decision, and the reason for events; undefined: the owned objects are not known yet. */
  surplus(
    target: Target,
    claimed: Claimed,
  ): { readonly input: () => PruneInput; readonly why: string } | undefined;
  /** Returns an outcome that replaces the one of an executed plan. */
  describeEnd?(plan: Plan): ApplyOutcome | undefined;
  /** Called with a failure. Returns an outcome if the resource can explain the failure better than the error's text. */
  onFailure?(error: unknown): ApplyOutcome | undefined;
  /** Called at the end of a run that did not fail. */
  conclude?(ended: {
    readonly outcome: ApplyOutcome;
    readonly pruned: PruneDecision | undefined;
  }): Promise<void>;
}
