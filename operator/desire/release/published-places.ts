import type { LiveObject } from "../../../crds/object.ts";
import { Release } from "../../../crds/release.ts";
import { folderOf } from "../../../synth/file-tree.ts";
import type { FolderClaim } from "../../ports.ts";
import { createFolderClaims } from "../../runtime/folder-claims.ts";
import type { KindStores } from "../../runtime/kind-stores.ts";
import { isSamePlace } from "./publish-place.ts";
import { decidePublishTarget, type OperatorRepository, type PublishTarget } from "./publish-target.ts";

/** Whether the folder of a resource is at a location. For all kinds except Release, that is the operator's own location. */
export function isPublishedAt(
  resource: LiveObject,
  place: PublishTarget,
  repository: OperatorRepository,
): boolean {
  const target = placeOf(resource, repository);
  return target === undefined || isSamePlace(target, place);
}

/** Finds the Releases of folders at locations other than the operator's own. */
export function createPlaceClaims(
  stores: KindStores,
  repository: OperatorRepository,
): (folder: string, place: PublishTarget) => FolderClaim {
  return (folder, place) =>
    createFolderClaims({
      kinds: [Release],
      stores,
      isHere: (release) => isPublishedAt(release, place, repository),
    })(folder);
}

/** The location of a resource's folder; undefined: not known. */
function placeOf(resource: LiveObject, repository: OperatorRepository): PublishTarget | undefined {
  if (resource.kind !== Release.kind) return repository;
  const { success, data } = Release.spec.safeParse(resource["spec"]);
  if (!success) return undefined;
  const target = decidePublishTarget(data, folderOf(Release, resource), repository);
  return "state" in target ? undefined : target;
}
