import { type CustomResource, controllerOf, type LiveObject } from "../../crds/object.ts";
import { stamps } from "../../synth/manifest.ts";
import { isLeftBehind } from "./decide-object.ts";
import { decideOwnership } from "./ownership.ts";

export interface PruneGuardInput {
  readonly live: LiveObject;
  readonly resource: CustomResource;
  /** Id of the resource's set of objects. */
  readonly set: string;
  /** Uids of the desired objects. The API server may serve an object in more than one API group. */
  readonly desiredUids: ReadonlySet<string>;
  /** Whether objects of the set never have an owner reference to the resource. Default: false. */
  readonly isUnreferenced?: boolean;
}

/** Annotations with which users keep an object: our own, and those of other tools. */
const keepAnnotations: readonly (readonly [string, string])[] = [
  ["fairlead.dev/prune", "disabled"],
  ["cli-utils.sigs.k8s.io/on-remove", "keep"],
  ["client.lifecycle.config.k8s.io/deletion", "detach"],
];

/**
 * Whether an object that is no longer desired may be deleted. All of this must be true: it has our set's label, our manager
 * has applied it, its controller (if it has one) is exactly this resource, it is not a desired object in another API group,
 * and no annotation keeps it. Labels alone are not sufficient, because any tenant can write them.
 */
export function mayPrune({
  live,
  resource,
  set,
  desiredUids,
  isUnreferenced = false,
}: PruneGuardInput): boolean {
  const { uid, labels, deletionTimestamp } = live.metadata;
  const controller = controllerOf(live);
  return (
    labels?.[stamps.set] === set &&
    live.ours &&
    (controller === undefined
      ? isUnreferenced || isBeyondCollection(live, resource)
      : controller.uid === resource.metadata.uid) &&
    deletionTimestamp === undefined &&
    !desiredUids.has(uid) &&
    !isKept(live)
  );
}

/**
 * Whether an object that is not desired may be deleted because an earlier resource of the same name left it behind. Garbage
 * collection deletes it, too. But after a restart of the API server that may take minutes, in which the object counts as one of
 * the set. The resource must be confirmed first: its local copy may be the earlier one.
 */
export function mayClear({ live, resource, set }: Omit<PruneGuardInput, "desiredUids">): boolean {
  return isLeftBehind(live, set) && decideOwnership(live, resource, set).whose === "leaving" && !isKept(live);
}

/** Whether users keep an object that is no longer desired. */
export function isKept({ metadata: { annotations } }: LiveObject): boolean {
  return keepAnnotations.some(([name, value]) => annotations?.[name] === value);
}

/** Whether an object is outside the resource's namespace. An object inside has a controller reference unless it was released. */
function isBeyondCollection({ metadata }: LiveObject, resource: CustomResource): boolean {
  const { namespace } = resource.metadata;
  return namespace !== undefined && namespace !== metadata.namespace;
}
