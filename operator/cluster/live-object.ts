import type { LiveObject } from "../../crds/object.ts";
import { FIELD_MANAGER } from "../../synth/manifest.ts";
import { type JsonObject, listIn, objectIn } from "./json-value.ts";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** The fields of an object that the operator keeps. Idempotent and pure. */
export type Transform = (object: LiveObject) => LiveObject;

/**
 * Reduces an object as the server sent it: managedFields become `ours` and `addedFields`, and kubectl's copy of the manifest goes.
 * Both are often larger than the rest. Items of a list come without apiVersion and kind: `defaults` gives them.
 *
 * @throws TypeError when it is no API object (it has no name).
 */
export function toLiveObject(
  raw: unknown,
  defaults?: { readonly apiVersion: string; readonly kind: string },
): LiveObject {
  const object = objectIn(raw);
  const metadata = objectIn(object["metadata"]);
  if (typeof metadata["name"] !== "string") throw new TypeError("Cannot read an API object: it has no name");
  // New objects rather than `delete`, which would turn each of them into a slow, large dictionary.
  const { managedFields, annotations, ...kept } = metadata;
  const remaining = withoutLastApplied(annotations);
  return {
    ...defaults,
    ...object,
    metadata: remaining === undefined ? kept : { ...kept, annotations: remaining },
    ours: object["ours"] === true || isOurs(managedFields),
    ...addedFieldsIn(managedFields),
    // The one place where the API server is taken at its word about metadata.
  } as unknown as LiveObject;
}

function isOurs(managedFields: unknown): boolean {
  return listIn(managedFields).some((entry) => {
    const { manager, operation, subresource = "" } = objectIn(entry);
    return manager === FIELD_MANAGER && operation === "Apply" && subresource === "";
  });
}

const additionManager = `${FIELD_MANAGER}/`;

/** The fields that our resources have set of an object that they do not own; nothing for any other object. */
function addedFieldsIn(managedFields: unknown): Pick<LiveObject, "addedFields"> | undefined {
  let addedFields: Record<string, unknown> | undefined;
  for (const entry of listIn(managedFields)) {
    const { manager, operation, subresource = "", fieldsV1 } = objectIn(entry);
    if (typeof manager !== "string" || !manager.startsWith(additionManager)) continue;
    if (operation !== "Apply" || subresource !== "") continue;
    addedFields ??= {};
    addedFields[manager] = fieldsV1;
  }
  return addedFields && { addedFields };
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

/** Keeps of a pod behind a child what its health, status and events are made of: about a fifth of it. */
export function reducePod(pod: LiveObject): LiveObject {
  const status = pick(objectIn(pod["status"]), podStatusFields);
  for (const list of ["containerStatuses", "initContainerStatuses"]) {
    if (status[list] === undefined) continue;
    status[list] = listIn(status[list]).map((entry) => pick(objectIn(entry), containerStatusFields));
  }
  const { apiVersion, kind, metadata, ours } = pod;
  return { apiVersion, kind, metadata, spec: pick(objectIn(pod["spec"]), podSpecFields), status, ours };
}

/** Keeps metadata only: for objects of which just the existence counts. */
export function reduceToMetadata({ apiVersion, kind, metadata, ours }: LiveObject): LiveObject {
  return { apiVersion, kind, metadata, ours };
}

function pick(from: JsonObject, fields: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const field of fields) if (from[field] !== undefined) picked[field] = from[field];
  return picked;
}
