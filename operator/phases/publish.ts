import type { BoundKind } from "../../crds/binding.ts";
import { groupKindOf, keyOf } from "../../crds/object.ts";
import type { EngineStatus } from "../../crds/status.ts";
import { filesOf, folderOf } from "../../synth/file-tree.ts";
import type { ManifestSet } from "../../synth/manifest.ts";
import type { Publisher, PublishState } from "../ports.ts";
import type { Loaded } from "./load.ts";

/** Offers what was applied to the repository, and says where that stands. Nothing is rendered unless it must be. */
export function publish(
  { resource }: Loaded,
  desired: ManifestSet,
  { kind, publisher }: { readonly kind: BoundKind; readonly publisher: Publisher },
): PublishState {
  const key = keyOf(resource);
  return publisher.publish({
    owner: { groupKind: groupKindOf(kind.definition), key },
    title: `${resource.kind} ${key}`,
    generation: resource.metadata.generation ?? 0,
    folder: folderOf(kind.definition, resource),
    digest: desired.digest,
    last: (resource.status as EngineStatus | undefined)?.published,
    render: () => filesOf(desired.manifests, resource),
  });
}
