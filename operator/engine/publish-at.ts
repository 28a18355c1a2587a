import { type CustomResource, groupKindOf, keyOf, type ObjectKind } from "../../crds/object.ts";
import type { EngineStatus } from "../../crds/status.ts";
import { folderOf } from "../../synth/file-tree.ts";
import type { PublishedRecord, Publisher, PublishOffer, PublishState } from "../ports.ts";

/** Composes the offer of a resource's files: the title for its commit, its folder, and its last publication. Pure. */
export function offerOf(
  kind: ObjectKind,
  resource: CustomResource,
  files: Pick<PublishOffer, "digest" | "render" | "trailers" | "origin">,
): PublishOffer {
  const key = keyOf(resource);
  return {
    owner: { groupKind: groupKindOf(kind), key },
    title: `${resource.kind} ${key}`,
    generation: resource.metadata.generation ?? 0,
    folder: folderOf(kind, resource),
    last: (resource.status as EngineStatus | undefined)?.published,
    ...files,
  };
}

/**
 * Offers files to the publisher of a location, and adds the id of the location to the record of the publication. A record of
 * another location is ignored. A record of an earlier version has no id and is not changed, so that neither an upgrade nor a
 * CRD that drops the field causes a write for every resource.
 *
 * @param place Id of the location from `placeIdOf()`.
 */
export function publishAt(place: string, offer: PublishOffer, publisher: Publisher): PublishState {
  const { last } = offer;
  const isElsewhere = last?.place !== undefined && last.place !== place;
  const published = publisher.publish(isElsewhere ? { ...offer, last: undefined } : offer);
  if (published.state !== "published") return published;
  const { record } = published;
  const isFromBefore = last !== undefined && last.place === undefined && isSameRecord(last, record);
  return isFromBefore ? published : { state: "published", record: { ...record, place } };
}

function isSameRecord(a: PublishedRecord, b: PublishedRecord): boolean {
  return a.digest === b.digest && a.tree === b.tree && a.commit === b.commit;
}
