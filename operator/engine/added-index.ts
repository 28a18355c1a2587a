import type { LiveObject } from "../../crds/object.ts";

/** Index of related objects in which a kind sets fields, by the field managers that have set some. */
export const ADDED_INDEX = "added";

/** The field managers of resources that have set fields of an object without owning it. */
export function addedManagersOf({ addedFields }: LiveObject): readonly string[] {
  return addedFields === undefined ? [] : Object.keys(addedFields);
}
