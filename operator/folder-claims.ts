import type { CustomResource, ObjectKind } from "../crds/object.ts";
import { folderOf } from "../synth/file-tree.ts";
import type { FolderClaim } from "./ports.ts";
import type { KindStores } from "./runtime/kind-stores.ts";

export interface FolderClaimsInput {
  readonly kinds: readonly ObjectKind[];
  readonly stores: KindStores;
}

/**
 * Tells what is known of the resource behind a folder of the repository. Only a folder of a kind and namespace that
 * we watch, and whose list came in this run, can be `gone`: what we cannot see is `unknown`, and stays.
 */
export function createFolderClaims({ kinds, stores }: FolderClaimsInput): (folder: string) => FolderClaim {
  // Every folder is asked about in one go, so the live ones are collected once per turn of the event loop.
  let wanted: ReadonlySet<string> | undefined;
  const collect = (): ReadonlySet<string> => {
    queueMicrotask(() => {
      wanted = undefined;
    });
    return new Set(
      kinds.flatMap((kind) =>
        [...stores.resources(kind).list()].map((resource) => folderOf(kind, resource as CustomResource)),
      ),
    );
  };
  return (folder) => {
    wanted ??= collect();
    if (wanted.has(folder)) return "wanted";
    const [place = "", groupKind] = folder.split("/");
    const isSeen = stores.watched.some(
      ({ role, kind, namespace, store }) =>
        role === "resource" &&
        folderGroupKind(kind) === groupKind &&
        (namespace === undefined || namespace === place) &&
        store.hasSynced,
    );
    return isSeen ? "gone" : "unknown";
  };
}

/** The second segment of a kind's folders, as the tree spells it. */
function folderGroupKind(kind: ObjectKind): string | undefined {
  return folderOf(kind, { metadata: { name: "x", namespace: "x", uid: "", resourceVersion: "" } }).split(
    "/",
  )[1];
}
