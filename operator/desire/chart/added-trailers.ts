import type { BoundKind } from "../../../crds/binding.ts";
import { type CustomResource, groupKindOf, type ObjectKind } from "../../../crds/object.ts";
import { describeTrailers } from "../../engine/commit-trailers.ts";
import type { Stores } from "../../ports.ts";
import { load } from "./load.ts";

export interface TrailersOptions {
  readonly kinds: readonly BoundKind[];
  readonly stores: Stores;
}

/** Trailers for the commit of a resource, from the resources that set fields in it. */
export function trailersOf(
  kind: ObjectKind,
  resource: CustomResource,
  { kinds, stores }: TrailersOptions,
): readonly string[] {
  const groupKind = groupKindOf(kind);
  return kinds.flatMap((other) =>
    other.related.flatMap(({ kind: related, ownerKey, trailers }) => {
      if (trailers === undefined || groupKindOf(related) !== groupKind) return [];
      const keys = [ownerKey(resource) ?? []].flat();
      const owners = keys.flatMap((key) => load(key, other, stores) ?? []);
      return describeTrailers(owners.flatMap((owner) => trailers(resource, owner)));
    }),
  );
}
