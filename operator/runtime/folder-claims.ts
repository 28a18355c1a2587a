import { keyOf, type LiveObject, type ObjectKind } from "../../crds/object.ts";
import { folderOf } from "../../synth/file-tree.ts";
import type { FolderClaim } from "../ports.ts";
import type { KindStores } from "./kind-stores.ts";

export interface FolderClaimsInput {
  readonly kinds: readonly ObjectKind[];
  readonly stores: KindStores;
  /** Whether an existing resource has its folder here. Default: all have. */
  readonly isHere?: (resource: LiveObject) => boolean;
}

/**
 * Finds the state of the resource of a folder of the repository. Only a folder of a kind and namespace that we watch,
 * and whose list arrived in this run, can be `gone`: an unobserved one is `unknown`, and is kept.
 *
 * It is a lookup, because a sweep needs ten thousand folders at once.
 */
export function createFolderClaims({
  kinds,
  stores,
  isHere = () => true,
}: FolderClaimsInput): (folder: string) => FolderClaim {
  const kindOf = new Map(kinds.map((kind) => [segmentsOf(kind, {}).groupKind, kind]));
  return (folder) => {
    const [place = "", groupKind = ""] = folder.split("/");
    const kind = kindOf.get(groupKind);
    if (kind === undefined) return "unknown";
    const resource = findResource(folder, kind, stores);
    if (resource !== undefined) return isHere(resource) ? "wanted" : "gone";
    const isSeen = stores.watched.some(
      ({ role, kind: watched, namespace, store, reflector }) =>
        role === "resource" &&
        watched === kind &&
        (namespace === undefined || segmentsOf(kind, { namespace }).place === place) &&
        store.hasSynced &&
        !reflector.isBehind,
    );
    return isSeen ? "gone" : "unknown";
  };
}

/** The resource whose folder this is. */
function findResource(folder: string, kind: ObjectKind, stores: KindStores): LiveObject | undefined {
  const [place = "", , name = ""] = folder.split("/");
  const resources = stores.resources(kind);
  const found = resources.get(keyOf({ metadata: { name, ...(kind.namespaced && { namespace: place }) } }));
  if (found !== undefined) return folderOf(kind, found) === folder ? found : undefined;
  // No name has an underscore: such a segment was escaped, and cannot be parsed.
  const isEscaped = name.includes("_") || (kind.namespaced && place.includes("_"));
  if (!isEscaped) return undefined;
  return [...resources.list()].find((resource) => folderOf(kind, resource) === folder);
}

/** The first two segments of the folders of a kind in a namespace, as they are in the tree. */
function segmentsOf(
  kind: ObjectKind,
  { namespace = "any" }: { readonly namespace?: string },
): { readonly place: string; readonly groupKind: string } {
  const [place = "", groupKind = ""] = folderOf(kind, { metadata: anObject(namespace) }).split("/");
  return { place, groupKind };
}

function anObject(namespace: string): LiveObject["metadata"] {
  return { name: "any", namespace, uid: "", resourceVersion: "" };
}
