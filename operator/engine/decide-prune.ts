import { containerKinds } from "../../crds/container-kinds.ts";
import { type CustomResource, groupOf, type LiveObject } from "../../crds/object.ts";
import { APPROVE_PRUNE } from "../../crds/status.ts";
import { type ObjectId, stamps } from "../../synth/manifest.ts";
import { applyStageOf } from "./apply-stage.ts";
import type { DesiredObject, DesiredSet, KeptObject, OwnedObject } from "./desired-set.ts";
import { countLasting, sortByLifetime } from "./lifetimes.ts";
import { countObjects, describeId } from "./object-text.ts";
import { listNames } from "./outcome.ts";
import { isKept, mayClear, mayPrune } from "./prune-guard.ts";

export interface PruneInput {
  readonly resource: CustomResource;
  /** Id of the resource's set of objects. */
  readonly set: string;
  /** All objects with the label of the set, of all kinds that the resource has ever had. */
  readonly owned: readonly OwnedObject[];
  readonly desired: Pick<DesiredSet, "objects" | "lifetimes">;
  /** As in planChanges(): a desired object is not pruned if another API group serves it as well. Default: found in `owned`. */
  readonly observed?: (object: DesiredObject) => LiveObject | undefined;
  /** False: surplus objects are kept, such as with `spec.prune: false`. Default: true. */
  readonly isOn?: boolean;
  /** Whether objects in the resource's namespace have a controller reference to it. One without it was released. Default: false. */
  readonly isReferenced?: boolean;
  /** Whether large or irreversible prunes wait for approval. Default: true. */
  readonly mayHold?: boolean;
  /** Number of objects of the last complete deployment, from the status; undefined: all that are owned. */
  readonly deployed: number | undefined;
  /** Value of the annotation `fairlead.dev/approve-prune`. */
  readonly approved: string | undefined;
  /** Values that approve: ids of commits, or the digest of the desired set. The message names the last one. */
  readonly approvals: readonly string[];
  /** `status.inventory.waves`: ids in apply order, if the source declares an order. */
  readonly waves?: readonly (readonly ObjectId[])[] | undefined;
  /** Whether the deletion of an object would delete content. Default: yes, except for a claim without a volume. */
  readonly hasContent?: (live: LiveObject) => boolean;
}

/** The plan for objects that are owned and no longer desired. None is deleted before all applies have succeeded. */
export interface PruneDecision {
  /** Objects to delete now, concurrently, with a uid precondition: the surplus objects of the last stage. */
  readonly now: readonly OwnedObject[];
  /** Objects to delete when all of `now` and `leaving` are deleted. */
  readonly later: readonly OwnedObject[];
  /** Terminating objects: their events requeue the resource. */
  readonly leaving: readonly OwnedObject[];
  /** Objects that stay in the set: an annotation keeps them, `prune` is off, or their kind keeps objects that are created once. */
  readonly kept: readonly KeptObject[];
  /** Undefined: no approval is needed. */
  readonly held: HeldPrune | undefined;
}

export interface HeldPrune {
  readonly objects: readonly OwnedObject[];
  /** For users: the number of objects, their names, the reason, and how to continue. */
  readonly message: string;
}

/**
 * In a set with fewer objects than this, a prune of some objects needs no approval; a prune of all objects always does.
 * Users often remove one of two objects, but the loss of half of many objects usually is a mistake, such as a wrong path.
 */
export const minObjectsForHold = 5;

/** Minimum length of a commit id's prefix in an approval. */
const shortestId = 7;

/** Decides which objects are pruned, in which order, and whether the prune needs approval. Pure. */
export function decidePrune(input: PruneInput): PruneDecision {
  const { desired, owned, observed, mayHold = true } = input;
  const wanted = new Set(desired.objects.map(({ id }) => id));
  const surplus = owned.filter(({ id }) => !wanted.has(id));
  if (surplus.length === 0) return nothingToPrune;
  const desiredUids = new Set([
    ...owned.flatMap(({ id, live }) => (wanted.has(id) ? live.metadata.uid : [])),
    ...desired.objects.flatMap((object) => observed?.(object)?.metadata.uid ?? []),
  ]);
  const sorted = sortOut(surplus, { ...input, desiredUids });
  const { leaving } = sorted;
  const { lasting, over, stay } = sortByLifetime(sorted.going, desired.lifetimes);
  const kept = [...sorted.kept, ...stay];
  const why = !mayHold || isApproved(input) ? undefined : findObjection(lasting, input);
  if (why === undefined)
    return { ...inWaves([...lasting, ...over], leaving, input.waves), leaving, kept, held: undefined };
  return { ...inWaves(over, leaving, input.waves), leaving, kept, held: hold(lasting, why, input) };
}

/** The objects of an earlier resource of the same name that are not desired and may be deleted; none if `prune` is off. Pure. */
export function findLeftBehind(input: PruneInput): readonly OwnedObject[] {
  const { desired, owned, resource, set, isOn = true } = input;
  if (!isOn) return [];
  const wanted = new Set(desired.objects.map(({ id }) => id));
  return owned.filter(({ id, live }) => !wanted.has(id) && mayClear({ live, resource, set }));
}

const nothingToPrune: PruneDecision = { now: [], later: [], leaving: [], kept: [], held: undefined };

export type DeletionInput = Pick<PruneInput, "resource" | "set" | "owned" | "waves" | "isReferenced">;

/** Decides the deletion of the objects of a deleted resource: all of them, in reverse order, without approval. Pure. */
export function decideDeletion(input: DeletionInput): PruneDecision {
  const { going, leaving, kept } = sortOut(input.owned, { ...input, desiredUids: new Set() });
  return { ...inWaves(going, leaving, input.waves), leaving, kept, held: undefined };
}

interface SortInput extends Pick<PruneInput, "resource" | "set" | "isOn" | "isReferenced"> {
  readonly desiredUids: ReadonlySet<string>;
}

function sortOut(
  surplus: readonly OwnedObject[],
  { resource, set, desiredUids, isOn = true, isReferenced = false }: SortInput,
): { readonly going: OwnedObject[]; readonly leaving: OwnedObject[]; readonly kept: KeptObject[] } {
  const ours = surplus.filter(({ live }) => live.ours && live.metadata.labels?.[stamps.set] === set);
  const [leaving, there] = split(ours, ({ live }) => live.metadata.deletionTimestamp !== undefined);
  const mayGo = ({ live }: OwnedObject) =>
    isOn && mayPrune({ live, resource, set, desiredUids, isUnreferenced: !isReferenced });
  const [going, rest] = split(there, mayGo);
  // Do not delete an object with another controller.
  const kept = rest.filter(({ live }) => !isOn || isKept(live));
  const why = isOn ? "an annotation keeps it" : "spec.prune is false";
  return { going, leaving, kept: kept.map((object) => ({ ...object, why })) };
}

function isApproved({ approved, approvals }: PruneInput): boolean {
  if (approved === undefined || approved.length < shortestId) return false;
  return approvals.some((approval) => approval.startsWith(approved));
}

/** Why the prune of these objects needs approval; undefined: it does not. */
function findObjection(going: readonly OwnedObject[], input: PruneInput): string | undefined {
  if (going.length === 0) return undefined;
  const { desired, deployed, owned, hasContent = mayHaveContent } = input;
  if (desired.objects.every(({ isEnsured }) => isEnsured)) return "no object would be left";
  const lasting = desired.objects.filter(({ lifetime }) => lifetime === "kept");
  if (lasting.every(({ isEnsured }) => isEnsured)) return 'no object with the lifetime "kept" would be left';
  const before = deployed ?? countLasting(owned, desired.lifetimes);
  if (before >= minObjectsForHold && going.length * 2 > before) return `that is more than half of ${before}`;
  const containers = going.filter(({ live }) => isContainer(live) && hasContent(live));
  if (containers.length === 0) return undefined;
  const names = containers.map(({ id }) => describeId(id)).sort();
  return `the content of ${listNames(names)} would be lost`;
}

function hold(going: readonly OwnedObject[], why: string, { approvals, resource }: PruneInput): HeldPrune {
  const names = listNames(going.map(({ id }) => describeId(id)).sort());
  const { name, namespace } = resource.metadata;
  const where = namespace === undefined ? "" : ` -n ${namespace}`;
  const message =
    `Nothing is deleted, because ${countObjects(going.length)} would be (${names}), and ${why}. To approve this: ` +
    `kubectl annotate ${resource.kind.toLowerCase()} ${name}${where} --overwrite ` +
    `${APPROVE_PRUNE}=${approvals.at(-1) ?? "<revision>"}`;
  return { objects: going, message };
}

function isContainer({ apiVersion, kind }: LiveObject): boolean {
  return containerKinds.has(`${groupOf(apiVersion)}/${kind}`);
}

/**
 * Whether an object may have content. Only the server can determine that for namespaces and CRDs. A claim without a
 * volume has none.
 */
function mayHaveContent(live: LiveObject): boolean {
  if (live.kind !== "PersistentVolumeClaim") return true;
  return (live["status"] as { readonly phase?: unknown } | undefined)?.phase !== "Pending";
}

/**
 * Splits objects into waves. The objects that were applied last are deleted first, and each wave waits for the deletion of
 * the one before, so that a controller is deleted after the objects whose finalizers it removes.
 */
function inWaves(
  going: readonly OwnedObject[],
  leaving: readonly OwnedObject[],
  waves: PruneInput["waves"] = [],
): Pick<PruneDecision, "now" | "later"> {
  const places = new Map(waves.flatMap((wave, index) => wave.map((id) => [id, index] as const)));
  // An object without a recorded wave, for example before the first status with waves, is ranked by its stage after all
  // waves.
  const rankOf = ({ id, live }: OwnedObject) => places.get(id) ?? waves.length + applyStageOf(live);
  const last = [...going, ...leaving].reduce((highest, one) => Math.max(highest, rankOf(one)), -1);
  const [now, later] = split(going, (one) => rankOf(one) === last);
  return { now: now.toSorted(byId), later: later.toSorted((a, b) => rankOf(b) - rankOf(a) || byId(a, b)) };
}

function byId(a: OwnedObject, b: OwnedObject): number {
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

function split<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  const [first, second]: [Item[], Item[]] = [[], []];
  for (const item of items) (isFirst(item) ? first : second).push(item);
  return [first, second];
}
