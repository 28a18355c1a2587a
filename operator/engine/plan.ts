import type { CustomResource, LiveObject } from "../../crds/object.ts";
import { idOf, type Manifest, type ObjectId, stamps } from "../../synth/manifest.ts";
import { stageOf } from "../../synth/order.ts";
import type { ApplyGuard } from "../ports.ts";
import { findDrift } from "./covers.ts";
import { fitToLive } from "./immutable.ts";
import { decideOwnership } from "./ownership.ts";
import { mayPrune } from "./prune-guard.ts";

export interface PlanInput {
  readonly resource: CustomResource;
  /** Id of the resource's set of objects. */
  readonly set: string;
  /** Stamped manifests in apply order; ids are unique. */
  readonly desired: readonly Manifest[];
  /** The live object of this id, if the local copies hold one, whoever made it. */
  readonly observed: (id: ObjectId) => LiveObject | undefined;
  /** All live objects that carry the label of our set. */
  readonly owned: readonly LiveObject[];
  /** Whether applying to exactly this object was tried and changed nothing; see settledHash(). */
  readonly isSettled: (live: LiveObject) => boolean;
}

export interface ApplyStep {
  /** As it is sent: fitted to what may be changed in the live object. */
  readonly manifest: Manifest;
  readonly guard: ApplyGuard;
  /** The object that was planned on, and why it is applied: `absent`, `foreign`, `adopt`, `digest`, or the path of the first drift. */
  readonly live: LiveObject | undefined;
  readonly because: string;
}

/** What one reconcile changes in the cluster. Every desired object is in exactly one of the lists but the last. */
export interface Plan {
  /** Stages one after the other, the steps of a stage side by side. */
  readonly apply: readonly (readonly ApplyStep[])[];
  /** Already as desired: no request. */
  readonly keep: readonly LiveObject[];
  /** Objects that must be deleted before they can be made anew. */
  readonly replace: readonly LiveObject[];
  /** Desired objects that are on their way out: the event of their end wakes us. */
  readonly waiting: readonly LiveObject[];
  /**
   * Objects of a resource of this name that is gone, which nobody has deleted yet. Garbage collection will; but it may never
   * learn that a resource was made anew while its own watch was broken (seen with Kubernetes 1.37), so we do.
   */
  readonly leftBehind: readonly LiveObject[];
  /** Owned and no longer desired, in reverse apply order. Only to be pruned when every apply succeeded. */
  readonly prune: readonly LiveObject[];
}

/** Decides what one reconcile changes in the cluster. Pure. */
export function planChanges(input: PlanInput): Plan {
  const { resource, set, desired, observed, owned } = input;
  const steps: ApplyStep[] = [];
  const keep: LiveObject[] = [];
  const replace: LiveObject[] = [];
  const waiting: LiveObject[] = [];
  const leftBehind: LiveObject[] = [];
  const desiredIds = new Set<ObjectId>();
  const desiredUids = new Set<string>();

  for (const manifest of desired) {
    const id = idOf(manifest);
    desiredIds.add(id);
    const live = observed(id);
    if (live !== undefined) desiredUids.add(live.metadata.uid);
    const decision = decide(manifest, live, input);
    if (decision.does === "apply") steps.push(decision.step);
    else if (decision.does !== "wait") ({ keep, replace })[decision.does].push(decision.live);
    else (isLeftBehind(decision.live, set) ? leftBehind : waiting).push(decision.live);
  }

  const prune = owned
    .filter((live) => !desiredIds.has(idOf(live)) && mayPrune({ live, resource, set, desiredUids }))
    .toSorted(inReverseApplyOrder);
  const apply = [...Map.groupBy(steps, ({ manifest }) => stageOf(manifest)).values()];
  return { apply, keep, replace, waiting, leftBehind, prune };
}

export type Decision =
  | { readonly does: "apply"; readonly step: ApplyStep }
  | { readonly does: "keep" | "replace" | "wait"; readonly live: LiveObject };

/** Decides what becomes of one desired object: applied, kept, replaced, or waited for because it is on its way out. Pure. */
export function decide(
  desired: Manifest,
  live: LiveObject | undefined,
  { resource, set, isSettled }: Pick<PlanInput, "resource" | "set" | "isSettled">,
): Decision {
  const { whose } = live === undefined ? { whose: "absent" as const } : decideOwnership(live, resource, set);
  // A foreign object may be one that we only think we see: the create-only apply is refused, and a fresh read decides.
  if (live === undefined || whose === "foreign" || whose === "absent") {
    const { manifest = desired } = fitToLive(desired, undefined);
    return { does: "apply", step: { manifest, guard: { mode: "create" }, live, because: whose } };
  }
  if (whose === "leaving" || live.metadata.deletionTimestamp !== undefined) return { does: "wait", live };

  const { manifest, replaces } = fitToLive(desired, live);
  if (replaces !== undefined) return { does: "replace", live: replaces };
  const isSameDigest = annotation(manifest, stamps.digest) === annotation(live, stamps.digest);
  const drift = findDrift(manifest, live);
  if (whose === "ours" && isSameDigest && (drift === undefined || isSettled(live)))
    return { does: "keep", live };
  const because = whose === "adopt" ? whose : isSameDigest ? (drift ?? "") : "digest";
  return {
    does: "apply",
    step: { manifest, guard: { mode: "update", uid: live.metadata.uid }, live, because },
  };
}

/** Of what is waited for. What another operator made, or somebody else owns as well, is left to garbage collection. */
function isLeftBehind({ ours, metadata }: LiveObject, set: string): boolean {
  const { deletionTimestamp, labels, ownerReferences = [] } = metadata;
  return (
    ours && deletionTimestamp === undefined && labels?.[stamps.set] === set && ownerReferences.length === 1
  );
}

function annotation(object: Manifest, name: string): string | undefined {
  return object.metadata.annotations?.[name];
}

function inReverseApplyOrder(a: LiveObject, b: LiveObject): number {
  const [first, second] = [idOf(a), idOf(b)];
  return stageOf(b) - stageOf(a) || (first < second ? 1 : -Number(first > second));
}
