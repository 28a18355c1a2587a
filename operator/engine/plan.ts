import type { CustomResource, LiveObject, ObjectKind } from "../../crds/object.ts";
import { type ObjectId, stamps } from "../../synth/manifest.ts";
import { type ApplyStep, type Decision, decideObject, isLeftBehind } from "./decide-object.ts";
import type { DesiredObject, DesiredSet, KindAnswer, WatchedObjects } from "./desired-set.ts";
import type { ShapeOf } from "./field-shape.ts";
import { nameOfRun } from "./finished-jobs.ts";
import { type BlockedObject, type BlockedReason, blockedBy, Gates } from "./gates.ts";
import type { Health } from "./health/health.ts";
import { describeId } from "./object-text.ts";
import { explainDecision, type StepReason } from "./reasons.ts";

export interface PlanInput {
  readonly resource: CustomResource;
  readonly desired: DesiredSet;
  /**
   * The live object of a desired one, regardless of its creator, if the local copies contain it or this run has read it. An
   * ensured namespace need not be in a set.
   */
  readonly observed: (object: DesiredObject) => LiveObject | undefined;
  /** The state of the watch of a kind. */
  readonly watch: (kind: ObjectKind) => Pick<WatchedObjects, "hasSynced" | "refusal">;
  /** Whether an apply to this version of the object changed nothing; see settledHash(). */
  readonly isSettled: (live: LiveObject) => boolean;
  readonly shapeOf: ShapeOf;
  readonly assess: (live: LiveObject) => Health;
  /** `status.inventory.finished`: Jobs that are not recreated. */
  readonly finished?: readonly string[] | undefined;
  /** The state of the lookup of the kind of an object that was prepared without one. */
  readonly askKind?: (object: DesiredObject) => KindAnswer;
}

export interface PlannedStep extends ApplyStep {
  readonly object: DesiredObject;
}

/** The changes of one pass in the cluster. Every desired object is in exactly one of the lists before `taken`. */
export interface Plan {
  /** Steps by stage. Stages are applied in sequence, and the steps of a stage concurrently. */
  readonly apply: readonly (readonly PlannedStep[])[];
  /** Up-to-date objects. No request is sent. */
  readonly keep: readonly LiveObject[];
  /** Objects that must be deleted before they can be recreated. */
  readonly replace: readonly LiveObject[];
  /** Desired objects that are being deleted. The event of their deletion requeues the resource. */
  readonly waiting: readonly LiveObject[];
  /**
   * Objects of a deleted resource of this name that still exist. The engine deletes them. Garbage collection may not: if the
   * resource was recreated while the garbage collector's watch was broken, it misses the deletion (seen with Kubernetes 1.37).
   */
  readonly leftBehind: readonly LiveObject[];
  readonly blocked: readonly BlockedObject[];
  /** The reasons of all objects that are not up to date. */
  readonly reasons: readonly StepReason[];
  /** Jobs that ran, and were deleted automatically after their time to live. */
  readonly done: readonly DesiredObject[];
  /** Ensured namespaces that other clients have created. */
  readonly others: readonly DesiredObject[];
  /** Ids of the resource's own objects in this plan. They are recorded before any request is sent. */
  readonly taken: readonly ObjectId[];
  /** Whether all objects are applied after this plan, so that pruning may start. */
  readonly isComplete: boolean;
  /** Whether blocked objects may be unblocked after this plan. Then plan again: our own writes cause no event. */
  readonly mayUnblockMore: boolean;
}

/**
 * Plans the changes that are possible now. CRDs and namespaces come first, and must be ready before other objects are
 * applied. The needs of an object must be healthy. Admission configuration is applied after all other objects. Changes of
 * existing objects by other managers are reverted without a wait. Pure.
 */
export function planChanges(input: PlanInput): Plan {
  const steps: PlannedStep[] = [];
  const lists = { keep: [] as LiveObject[], replace: [] as LiveObject[], wait: [] as LiveObject[] };
  const blocked: BlockedObject[] = [];
  const done: DesiredObject[] = [];
  const others: DesiredObject[] = [];
  const taken: ObjectId[] = [];
  const reasons: StepReason[] = [];
  const gates = new Gates(input.assess);
  for (const object of input.desired.objects) {
    const found = consider(object, input, gates);
    if (found === "done") {
      done.push(object);
      gates.note(object, "done");
      continue;
    }
    const reason = explainDecision(object.id, found);
    if (reason !== undefined) reasons.push(reason);
    gates.note(object, "on" in found ? undefined : found);
    if (!("on" in found)) {
      if (isOfOthers(object, input)) others.push(object);
      else taken.push(object.id);
    }
    if ("on" in found) blocked.push(found);
    else if (found.does === "apply") steps.push({ ...found.step, object, kind: object.kind as ObjectKind });
    else lists[found.does].push(found.live);
  }
  const { keep, replace } = lists;
  const { leftBehind = [], waiting = [] } = Object.groupBy(lists.wait, (live) =>
    isLeftBehind(live, input.desired.set) ? "leftBehind" : "waiting",
  );
  const isWaiting = blocked.some(({ reason }) => reason === "Dependency" || reason === "Stage");
  return {
    apply: [...Map.groupBy(steps, ({ object }) => object.stage).values()],
    keep,
    replace,
    waiting,
    leftBehind,
    blocked,
    reasons,
    done,
    others,
    taken,
    isComplete: blocked.length + replace.length + lists.wait.length === 0,
    mayUnblockMore: steps.length > 0 && isWaiting,
  };
}

/** The input for one object, without the state of other objects. */
export type DecideAloneInput = Pick<
  PlanInput,
  "resource" | "desired" | "observed" | "isSettled" | "shapeOf" | "finished"
>;

/**
 * Decides the action for one object of a set, regardless of gates and watches. `done`: it is a Job that has completed and
 * was deleted automatically. Pure.
 */
export function decideAlone(object: DesiredObject, input: DecideAloneInput): Decision | "done" {
  return isDone(object, input) ? "done" : decideOne(object, input);
}

function isDone(object: DesiredObject, { finished = [], observed }: DecideAloneInput): boolean {
  if (finished.length === 0) return false;
  const name = nameOfRun(object);
  return name !== undefined && finished.includes(name) && observed(object) === undefined;
}

function consider(object: DesiredObject, input: PlanInput, gates: Gates): Decision | BlockedObject | "done" {
  if (isDone(object, input)) return "done";
  const { kind, needs } = object;
  if (kind === undefined) {
    const definition = gates.findLacking(needs.filter(isDefinition));
    if (definition !== undefined) return blockedBy(object, "Dependency", definition);
    const answer = input.askKind?.(object);
    // The result of the lookup requeues the resource, and the object is prepared again.
    if (answer?.state === "pending" || answer?.state === "known")
      return notApplied(object, "NotSynced", "its kind is being looked up");
    return notApplied(object, "KindUnknown", answer?.message ?? describeUnknown(object));
  }
  const { hasSynced, refusal } = input.watch(kind);
  if (refusal !== undefined) return notApplied(object, "KindNotWatched", refusal);
  if (!hasSynced) return notApplied(object, "NotSynced", "the objects of its kind have not been listed yet");
  const decision = decideOne(object, input);
  if (decision.does !== "apply" || putsBack(decision.step)) return decision;
  return gates.findBlock(object) ?? decision;
}

function decideOne(object: DesiredObject, input: DecideAloneInput): Decision {
  const { resource, desired, observed, isSettled, shapeOf } = input;
  const { set } = desired;
  const live = observed(object);
  if (live === undefined || !isOfOthers(object, input))
    return decideObject(object.manifest, live, { ...object, resource, set, isSettled, shapeOf });
  if (live.metadata.deletionTimestamp !== undefined) return { does: "wait", live };
  return { does: "keep", live, because: "it has another owner, and only has to exist" };
}

/** Whether an ensured namespace exists and is not in the resource's set. Then it is not changed. */
function isOfOthers(
  object: DesiredObject,
  { desired, observed }: Pick<PlanInput, "desired" | "observed">,
): boolean {
  if (!object.isEnsured) return false;
  const live = observed(object);
  return live !== undefined && live.metadata.labels?.[stamps.set] !== desired.set;
}

function describeUnknown({ manifest: { kind, apiVersion } }: DesiredObject): string {
  return `the cluster has no kind ${kind} in ${apiVersion}`;
}

function notApplied(object: DesiredObject, reason: BlockedReason, why: string): BlockedObject {
  return {
    object,
    reason,
    on: [],
    message: `${describeId(object.id)} (${object.origin}) is not applied: ${why}`,
  };
}

/**
 * Whether a step reverts a change by another manager: the live object was created from exactly this manifest, or only its
 * metadata is managed.
 */
function putsBack({ live, manifest, because, only }: Omit<ApplyStep, "kind">): boolean {
  if (only === "metadata") return true;
  const digest = manifest.metadata.annotations?.[stamps.digest];
  return live !== undefined && because !== "foreign" && live.metadata.annotations?.[stamps.digest] === digest;
}

/** Whether an id is that of a CustomResourceDefinition. */
export function isDefinition(id: ObjectId): boolean {
  return id.startsWith("apiextensions.k8s.io/CustomResourceDefinition/");
}
