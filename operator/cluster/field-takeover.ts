import { FIELD_MANAGER } from "../../synth/manifest.ts";
import { type JsonObject, listIn, objectIn } from "./json-value.ts";

/**
 * The managedFields after which the operator owns all fields of the managers that set one controller reference: their
 * entries and the operator's become one Apply entry of its field manager. Fields that a later apply omits are removed by
 * the API server. Entries of other managers and of subresources stay as they are. Pure.
 *
 * @param options.ownerUid uid in the controller reference: its field manager is the operator to take over from.
 * @returns Undefined when no other field manager owns that reference.
 */
export function takeOverEntries(
  managedFields: unknown,
  options: { readonly ownerUid: string; readonly apiVersion: string; readonly time: string },
): readonly JsonObject[] | undefined {
  const entries = listIn(managedFields).map(objectIn);
  const former = new Set(
    entries.filter((entry) => ownsReference(entry, options.ownerUid) && !isOurs(entry)).map(managerOf),
  );
  if (former.size === 0) return undefined;
  const merged: JsonObject[] = [];
  const others: JsonObject[] = [];
  for (const entry of entries) {
    const isTaken = isMainResource(entry) && (isOurs(entry) || former.has(managerOf(entry)));
    (isTaken ? merged : others).push(entry);
  }
  const ours = {
    manager: FIELD_MANAGER,
    operation: "Apply",
    apiVersion: options.apiVersion,
    time: options.time,
    fieldsType: "FieldsV1",
    fieldsV1: merged.map(({ fieldsV1 }) => objectIn(fieldsV1)).reduce(union, {}),
  };
  return [ours, ...others];
}

function ownsReference(entry: JsonObject, uid: string): boolean {
  const metadata = objectIn(objectIn(entry["fieldsV1"])["f:metadata"]);
  const references = objectIn(metadata["f:ownerReferences"]);
  // A merge patch of the whole list owns it without listing its members.
  return isMainResource(entry) && JSON.stringify({ uid }) in namedMembers(references);
}

function namedMembers(references: JsonObject): JsonObject {
  const members: Record<string, unknown> = {};
  for (const [key, fields] of Object.entries(references)) {
    if (key.startsWith("k:")) members[key.slice(2)] = fields;
  }
  return members;
}

function isMainResource(entry: JsonObject): boolean {
  return entry["subresource"] === undefined || entry["subresource"] === "";
}

function isOurs(entry: JsonObject): boolean {
  return entry["manager"] === FIELD_MANAGER && entry["operation"] === "Apply" && isMainResource(entry);
}

function managerOf(entry: JsonObject): unknown {
  return entry["manager"];
}

// A set of fields in the form FieldsV1: nested objects whose keys are path elements, and whose leaves are empty.
function union(a: JsonObject, b: JsonObject): JsonObject {
  const result: Record<string, unknown> = { ...a };
  for (const [key, fields] of Object.entries(b)) {
    result[key] = key in result ? union(objectIn(result[key]), objectIn(fields)) : fields;
  }
  return result;
}
