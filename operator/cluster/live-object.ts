import type { LiveObject } from "../../crds/object.ts";
import { FIELD_MANAGER } from "../../synth/manifest.ts";
import { type JsonObject, listIn, objectIn } from "./json-value.ts";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** The fields of an object that the operator keeps. Idempotent and pure. */
export type Transform = (object: LiveObject) => LiveObject;

/**
 * Reduces an object of the server: managedFields become `ours` and `addedFields`, and kubectl's copy of the manifest is
 * removed. Both are often larger than the rest. Items of a list have no apiVersion and kind: `defaults` provides them.
 *
 * @throws TypeError when it is not an API object (it has no name).
 */
export function toLiveObject(
  raw: unknown,
  defaults?: { readonly apiVersion: string; readonly kind: string },
): LiveObject {
  const object = objectIn(raw);
  const metadata = objectIn(object["metadata"]);
  if (typeof metadata["name"] !== "string") throw new TypeError("Cannot read an API object: it has no name");
  // Creates new objects instead of using `delete`, which would convert each of them to a slow, large dictionary.
  const { managedFields, annotations, ...kept } = metadata;
  const remaining = withoutLastApplied(annotations);
  return {
    ...defaults,
    ...object,
    metadata: remaining === undefined ? kept : { ...kept, annotations: remaining },
    ours: object["ours"] === true || isOurs(managedFields),
    ...addedFieldsIn(managedFields),
    // The only code that trusts the API server's metadata without validation.
  } as unknown as LiveObject;
}

function isOurs(managedFields: unknown): boolean {
  return listIn(managedFields).some((entry) => {
    const { manager, operation, subresource = "" } = objectIn(entry);
    return manager === FIELD_MANAGER && operation === "Apply" && subresource === "";
  });
}

const additionManager = `${FIELD_MANAGER}/`;

/** The fields that resources of this operator have set in an object that they do not own; empty for any other object. */
function addedFieldsIn(managedFields: unknown): Pick<LiveObject, "addedFields" | "addedAt"> | undefined {
  let addedFields: Record<string, unknown> | undefined;
  let addedAt = "";
  for (const entry of listIn(managedFields)) {
    const { manager, operation, subresource = "", fieldsV1, time } = objectIn(entry);
    if (typeof manager !== "string" || !manager.startsWith(additionManager)) continue;
    if (operation !== "Apply" || subresource !== "") continue;
    addedFields ??= {};
    addedFields[manager] = fieldsV1;
    // All times of the API server have the same format and zone.
    if (typeof time === "string" && time > addedAt) addedAt = time;
  }
  return addedFields && { addedFields, ...(addedAt !== "" && { addedAt }) };
}

function withoutLastApplied(annotations: unknown): JsonObject | undefined {
  if (annotations === undefined) return undefined;
  const { [lastApplied]: _copy, ...others } = objectIn(annotations);
  return Object.keys(others).length === 0 ? undefined : others;
}

const podSpecFields = ["nodeName", "restartPolicy", "ephemeralContainers"] as const;
const podStatusFields = [
  "phase",
  "reason",
  "message",
  "podIP",
  "startTime",
  "conditions",
  "containerStatuses",
  "initContainerStatuses",
] as const;
const containerStatusFields = ["name", "ready", "started", "restartCount", "state", "lastState"] as const;

/** Keeps the fields of a pod of a child that its health, status and events use: about a fifth of it. */
export function reducePod(pod: LiveObject): LiveObject {
  const status = pick(objectIn(pod["status"]), podStatusFields);
  for (const list of ["containerStatuses", "initContainerStatuses"]) {
    if (status[list] === undefined) continue;
    status[list] = listIn(status[list]).map((entry) => pick(objectIn(entry), containerStatusFields));
  }
  const { apiVersion, kind, metadata, ours } = pod;
  return { apiVersion, kind, metadata, spec: pick(objectIn(pod["spec"]), podSpecFields), status, ours };
}

/** Keeps only metadata, for objects of which only the existence matters. */
export function reduceToMetadata({ apiVersion, kind, metadata, ours }: LiveObject): LiveObject {
  return { apiVersion, kind, metadata, ours };
}

function pick(from: JsonObject, fields: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const field of fields) if (from[field] !== undefined) picked[field] = from[field];
  return picked;
}
