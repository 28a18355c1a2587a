import { type CustomResource, controllerOf, type LiveObject } from "../../crds/object.ts";
import { stamps } from "../../synth/manifest.ts";

export interface PruneGuardInput {
  readonly live: LiveObject;
  readonly resource: CustomResource;
  /** Id of the resource's set of objects. */
  readonly set: string;
  /** Uids of the objects that are desired: the same object may show under another API group. */
  readonly desiredUids: ReadonlySet<string>;
  /** Objects of the set never carry a reference to the resource. Default: false. */
  readonly isUnreferenced?: boolean;
}

/** Annotations with which users keep an object; the second one is kubectl's and kpt's. */
const keepAnnotations: readonly (readonly [string, string])[] = [
  ["fairlead.dev/prune", "disabled"],
  ["cli-utils.sigs.k8s.io/on-remove", "keep"],
  ["client.lifecycle.config.k8s.io/deletion", "detach"],
];

/**
 * Whether an object that is no longer desired may be deleted. All must be true: it carries our set's label, our manager
 * has applied it, its controller (if it has one) is exactly this resource, it is not one of the desired objects under
 * another name of its kind, and no annotation keeps it. Labels alone are input that any tenant can write.
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

/** Whether users keep an object that is no longer desired. */
export function isKept({ metadata: { annotations } }: LiveObject): boolean {
  return keepAnnotations.some(([name, value]) => annotations?.[name] === value);
}

/** An object in the resource's own namespace always has a controller reference; without it, it was released. */
function isBeyondCollection({ metadata }: LiveObject, resource: CustomResource): boolean {
  const { namespace } = resource.metadata;
  return namespace !== undefined && namespace !== metadata.namespace;
}
