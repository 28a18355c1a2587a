import { type CustomResource, groupKindOf, keyOf, type ObjectKind } from "../../crds/object.ts";
import type { EngineStatus } from "../../crds/status.ts";
import { folderOf } from "../../synth/file-tree.ts";
import type { PublishedRecord, Publisher, PublishOffer, PublishState } from "../ports.ts";

/** The offer of a resource's files: what its commit and its folder are called, and what was published last. Pure. */
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
 * Offers to the publisher of a place, and names the place in the record of the publication. The record of another place
 * does not apply to this one. A record from before places had names stays as it is: neither an upgrade nor a CRD that
 * drops the field is worth a write for every resource.
 *
 * @param place Its id, as `placeIdOf()` makes it.
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
