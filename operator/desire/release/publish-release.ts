import { Release, type ReleaseResource } from "../../../crds/release.ts";
import { folderOf } from "../../../synth/file-tree.ts";
import { placeIdOf } from "../../engine/place-id.ts";
import { offerOf, publishAt } from "../../engine/publish-at.ts";
import type { Publisher, PublishState } from "../../ports.ts";
import type { Limits } from "./limits.ts";
import type { LoadedRelease } from "./load-release.ts";
import { findPlaceRefusal, isSamePlace } from "./publish-place.ts";
import {
  decidePublishTarget,
  type OperatorRepository,
  type PublishTarget,
  type Refused,
} from "./publish-target.ts";
import { publishedTree } from "./published-tree.ts";
import type { Desired } from "./release-memory.ts";

/** The locations in the operator's repository to which Releases are published. */
export interface PublishPlaces {
  readonly repository: OperatorRepository;
  at(target: PublishTarget): Publisher;
  /** Removes the folder at `target`, which no longer belongs to a Release. */
  retire(folder: string, target: PublishTarget, options?: { readonly keepFiles?: boolean }): void;
  /** Trailers from resources that set fields of a Release, such as the approvers of its commit. */
  trailersOf?(release: ReleaseResource): readonly string[];
}

/** The state of the publication of a Release. */
export interface PublishedRelease {
  readonly state: PublishState;
  /** The location for the memory. Undefined: the location in the spec is rejected. */
  readonly target: PublishTarget | undefined;
}

/** Offers the applied objects to the publisher, and returns the state of the publication. Writes files only if necessary. */
export function publishRelease(
  release: LoadedRelease,
  { rendered, prepared, commit }: Desired,
  places: PublishPlaces,
): PublishedRelease {
  const { resource, memory } = release;
  const { folder, digest, trailers, render } = publishedTree({
    release: resource,
    prepared,
    rendered,
    commit,
  });
  const target = decideTarget(release, folder, places);
  const isRefused = "state" in target;
  const before = memory.target;
  const hasMoved = before !== undefined && (isRefused || !isSamePlace(before, target));
  if (hasMoved) leavePlace(release.limits, { folder, target: before }, places);
  if (isRefused) return { state: target, target: undefined };
  const offer = offerOf(Release, resource, {
    digest,
    trailers: [...trailers, ...(places.trailersOf?.(resource) ?? [])],
    origin: commit,
    render,
  });
  const place = placeIdOf({ ...places.repository, ...target });
  // Return the identical object while the location is the same.
  const kept = before === undefined || hasMoved ? target : before;
  return { state: publishAt(place, offer, places.at(target)), target: kept };
}

/** Removes the folder of a deleted Release. */
export function unpublishRelease(release: LoadedRelease, places: PublishPlaces): void {
  const { resource, memory, invalid } = release;
  const folder = folderOf(Release, resource);
  const decided = invalid === undefined ? decideTarget(release, folder, places) : undefined;
  const target = memory.target ?? (decided === undefined || "state" in decided ? places.repository : decided);
  leavePlace(release.limits, { folder, target }, places);
}

/** The location in the spec, if it is valid and allowed. */
function decideTarget(
  { resource, limits }: LoadedRelease,
  folder: string,
  { repository }: PublishPlaces,
): PublishTarget | Refused {
  const target = decidePublishTarget(resource.spec, folder, repository);
  const message = "state" in target ? undefined : findPlaceRefusal(target, repository, limits);
  return message === undefined ? target : { state: "failed", reason: "PublishRefused", message };
}

/** Removes a Release's folder from a location. If the location is no longer allowed, the folder is not changed. */
export function leavePlace(
  limits: Limits,
  { folder, target }: { readonly folder: string; readonly target: PublishTarget },
  places: PublishPlaces,
): void {
  const isAllowed = findPlaceRefusal(target, places.repository, limits) === undefined;
  places.retire(folder, target, { keepFiles: !isAllowed });
}
