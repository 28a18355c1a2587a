import { type CustomResource, controllerOf, groupOf, keyOf, type LiveObject } from "../../crds/object.ts";
import { FIELD_MANAGER, stamps } from "../../synth/manifest.ts";
import type { ForeignOwner } from "../errors.ts";

/**
 * The owner of an object, relative to one resource.
 * - `ours`: the operator created it for exactly this resource.
 * - `adopt`: created by another client, and intended for this resource: its controller is this resource, or its owner
 *   hands it over.
 * - `leaving`: it belongs to a deleted resource of the same name, and garbage collection will delete it.
 * - `foreign`: it has another owner.
 */
export type Ownership =
  | { readonly whose: "ours" | "adopt" | "leaving" }
  | { readonly whose: "foreign"; readonly owner: ForeignOwner };

/** Determines the owner of a live object. `set` is the id of the resource's set of objects. Pure. */
export function decideOwnership(live: LiveObject, resource: CustomResource, set: string): Ownership {
  const controller = controllerOf(live);
  const isOfSet = live.metadata.labels?.[stamps.set] === set;
  if (controller !== undefined) {
    if (controller.uid === resource.metadata.uid) return { whose: isOfSet && live.ours ? "ours" : "adopt" };
    // An owner is in the namespace of its objects, so a resource with the same name in another namespace is not the
    // owner.
    const isPredecessor =
      (resource.metadata.namespace ?? live.metadata.namespace) === live.metadata.namespace &&
      controller.kind === resource.kind &&
      controller.name === resource.metadata.name &&
      groupOf(controller.apiVersion) === groupOf(resource.apiVersion);
    if (isPredecessor) return { whose: "leaving" };
    return { whose: "foreign", owner: { name: describeOwner(live), heldBy: "controller" } };
  }
  // An object without a controller, but with our set's label and our manager: garbage collection does not delete it, or its
  // owner reference was removed (by a deletion with --cascade=orphan, or a manual edit).
  if (isOfSet && live.ours) return { whose: "ours" };
  const heldBy = isOfAnotherSet(live, set) ? "set" : undefined;
  if (heldBy === undefined && isHandedOver(live, resource)) return { whose: "adopt" };
  return { whose: "foreign", owner: { name: describeOwner(live), heldBy } };
}

function isOfAnotherSet({ metadata: { labels } }: LiveObject, set: string): boolean {
  const label = labels?.[stamps.set];
  return label !== undefined && label !== set;
}

/**
 * `fairlead.dev/adopt-by: <kind>/<namespace>/<name>`, with or without the group after the kind
 * (`echo.mmontes.io/shop/hello`). Only an object in the resource's own namespace may omit the namespace: on a
 * cluster-scoped object, the short form would hand it over to resources of that name in every namespace.
 * constructs/ownership-fence.ts contains the same rule in CEL.
 */
function isHandedOver({ metadata }: LiveObject, resource: CustomResource): boolean {
  const [kind = "", ...name] = (metadata.annotations?.[stamps.adoptBy] ?? "").split("/");
  const wanted = name.join("/");
  const kinds = [resource.kind, `${resource.kind}.${groupOf(resource.apiVersion)}`];
  return (
    kinds.some((own) => own.toLowerCase() === kind.toLowerCase()) &&
    (wanted === keyOf(resource) ||
      (wanted === resource.metadata.name &&
        metadata.namespace !== undefined &&
        metadata.namespace === resource.metadata.namespace))
  );
}

function describeOwner(live: LiveObject): string {
  const { namespace, annotations, labels } = live.metadata;
  const controller = controllerOf(live);
  if (controller !== undefined)
    return `${controller.kind} ${keyOf({ metadata: { ...controller, ...(namespace !== undefined && { namespace }) } })}`;
  const owner = annotations?.[stamps.owner];
  if (owner !== undefined) return owner;
  const helm = annotations?.["meta.helm.sh/release-name"];
  if (helm !== undefined) return `Helm release ${helm}`;
  const manager = labels?.["app.kubernetes.io/managed-by"];
  if (manager !== undefined && manager !== FIELD_MANAGER) return manager;
  return live.ours ? "another resource" : "another owner";
}
