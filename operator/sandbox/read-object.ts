import { isUtf8 } from "node:buffer";
import type { Manifest } from "../../synth/manifest.ts";
import { checkJson } from "./check-json.ts";

const apiVersionPattern = /^(?:[a-z0-9][-a-z0-9.]*\/)?[a-z0-9][-a-z0-9]*$/i;
const kindPattern = /^[a-z][-a-z0-9]*$/i;
const namespacePattern = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
/** Names become parts of API paths. */
const namePattern = /^(?!\.{1,2}$)[^/%\s\p{C}]+$/u;

/**
 * Parses an object that the sandbox zone rendered. The zone has already checked it, with better messages; it is checked
 * again because the zone may be compromised.
 *
 * @throws RangeError for anything that is not an object with a valid identity.
 */
export function readObject(bytes: Buffer): Manifest {
  const problem = isUtf8(bytes) ? checkJson(bytes) : "is not UTF-8";
  if (problem !== undefined) throw new RangeError(`an object that ${problem}`);
  let object: unknown;
  try {
    object = JSON.parse(bytes.toString("utf8"));
  } catch {
    throw new RangeError("an object that is not JSON");
  }
  // Traversing a large object takes as long as parsing it. In canonical JSON no underscore is escaped.
  if (bytes.includes("__proto__") || bytes.includes("\\u005")) refusePrototypes(object);
  if (!isRecord(object) || !isRecord(object["metadata"])) throw new RangeError("an object without metadata");
  const { apiVersion, kind, metadata } = object;
  const { name, namespace, labels, annotations } = metadata as Readonly<Record<string, unknown>>;
  const isValid =
    isText(apiVersion, apiVersionPattern, 317) &&
    isText(kind, kindPattern, 63) &&
    isText(name, namePattern, 253) &&
    (namespace === undefined || isText(namespace, namespacePattern, 63)) &&
    [labels, annotations].every(isTexts);
  if (!isValid) throw new RangeError("an object without a valid identity");
  return object as unknown as Manifest;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown, pattern: RegExp, longest: number): boolean {
  return typeof value === "string" && value.length <= longest && pattern.test(value);
}

function isTexts(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return isRecord(value) && Object.values(value).every((text) => typeof text === "string");
}

/** A key `__proto__` changes the prototype of a copy of the object. The depth of the object is bounded. */
function refusePrototypes(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if (Object.hasOwn(value, "__proto__")) throw new RangeError("an object with a key __proto__");
  for (const part of Object.values(value)) refusePrototypes(part);
}
