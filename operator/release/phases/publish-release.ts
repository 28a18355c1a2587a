import { groupKindOf } from "../../../crds/object.ts";
import { Release } from "../../../crds/release.ts";
import { folderOf } from "../../../synth/file-tree.ts";
import { placeIdOf } from "../../core/place-id.ts";
import { publishAt } from "../../phases/publish-at.ts";
import type { Publisher, PublishOffer, PublishState } from "../../ports.ts";
import { publishedTree } from "../core/published-tree.ts";
import type { LoadedRelease } from "./load-release.ts";
import { decidePublishTarget, type OperatorRepository, type PublishTarget } from "./publish-target.ts";
import type { Desired } from "./release-memory.ts";

/** The places on the operator's repository where Releases are published. */
export interface PublishPlaces {
  readonly repository: OperatorRepository;
  at(target: PublishTarget): Publisher;
  /** The folder at `target` belongs to no Release any more. */
  retire(folder: string, target: PublishTarget): void;
}

/** Offers what was applied to the repository, and says where that stands. Nothing is written unless it must be. */
export function publishRelease(
  { key, resource, memory }: LoadedRelease,
  { rendered, prepared, commit }: Desired,
  places: PublishPlaces,
): PublishState {
  const { folder, digest, trailers, render } = publishedTree({
    release: resource,
    prepared,
    rendered,
    commit,
  });
  const target = decidePublishTarget(resource.spec, folder, places.repository);
  const isRefused = "state" in target;
  const before = memory.target;
  const hasMoved = before !== undefined && (isRefused || !isSamePlace(before, target));
  if (hasMoved) places.retire(folder, before);
  if (isRefused) {
    delete memory.target;
    return target;
  }
  memory.target = target;
  const offer: PublishOffer = {
    owner: { groupKind: groupKindOf(Release), key },
    title: `${resource.kind} ${key}`,
    generation: resource.metadata.generation ?? 0,
    folder,
    digest,
    last: resource.status?.published,
    trailers,
    render,
  };
  return publishAt(placeIdOf({ ...places.repository, ...target }), offer, places.at(target));
}

/** The Release goes, and its folder with it. */
export function unpublishRelease({ resource, memory, invalid }: LoadedRelease, places: PublishPlaces): void {
  const folder = folderOf(Release, resource);
  const decided =
    invalid === undefined ? decidePublishTarget(resource.spec, folder, places.repository) : undefined;
  const target = memory.target ?? (decided === undefined || "state" in decided ? places.repository : decided);
  places.retire(folder, target);
}

function isSamePlace(a: PublishTarget, b: PublishTarget): boolean {
  return a.branch === b.branch && a.root === b.root;
}
