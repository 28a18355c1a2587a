import type { Manifest } from "../../synth/manifest.ts";
import { showText } from "../engine/show-text.ts";
import { DocumentError } from "./document-error.ts";
import { OTHER_TOOLS_PAGE } from "./foreign-files.ts";
import { dropServerFields } from "./server-fields.ts";

export type FieldPath = readonly (string | number)[];
export type Fields = Readonly<Record<string, unknown>>;

/** One object of a document. */
export interface FoundObject {
  readonly manifest: Manifest;
  /** Path within the document: empty, or `["items", 3]` in a list. */
  readonly path: FieldPath;
  /** Warnings about ignored fields. */
  readonly dropped: readonly string[];
}

const apiVersionPattern = /^(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?\/)?[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const kindPattern = /^[A-Za-z](?:[-A-Za-z0-9]*[A-Za-z0-9])?$/;
const namespacePattern = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
/** Characters of an API path: RBAC objects have no other restriction. */
const namePattern = /^(?!\.{1,2}$)[^/%\s\p{C}]+$/u;

/**
 * The objects that a document contains: itself, or the items of a list. An invalid identity that the API server would
 * reject is rejected here, where file and line are known.
 *
 * @throws {DocumentError} with the path of the field.
 */
export function* toManifests(value: unknown, path: FieldPath = []): Generator<FoundObject> {
  if (!isFields(value)) {
    throw new DocumentError(
      `expected an object with apiVersion, kind and metadata, found ${typeText(value)}`,
      {
        path,
      },
    );
  }
  if ("sops" in value && isFields(value["sops"]) && "mac" in value["sops"]) {
    throw new DocumentError(`is encrypted with SOPS, which is not decrypted here; see ${OTHER_TOOLS_PAGE}`, {
      path: [...path, "sops"],
    });
  }
  const apiVersion = textAt(value, "apiVersion", path, apiVersionPattern, 317);
  const kind = textAt(value, "kind", path, kindPattern, 63);
  if (isList(value, kind)) yield* itemsOf(value, { apiVersion, kind, path });
  else yield toManifest(value, { apiVersion, kind, path });
}

interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly path: FieldPath;
}

/** `List`, `ConfigMapList`. A kind with such a name whose objects have names is not a list. */
function isList(value: Fields, kind: string): boolean {
  if (!kind.endsWith("List") || !("items" in value)) return false;
  const { metadata } = value;
  return !(isFields(metadata) && typeof metadata["name"] === "string");
}

function* itemsOf(list: Fields, { apiVersion, kind, path }: Identity): Generator<FoundObject> {
  const { items } = list;
  // Go serializes an empty list as null.
  if (items === null) return;
  if (!Array.isArray(items)) {
    throw new DocumentError(`items: expected a list, found ${typeText(items)}`, { path: [...path, "items"] });
  }
  const itemKind = kind.slice(0, -"List".length);
  for (const [index, item] of items.entries()) {
    // The items of a typed list may omit the fields that the list defines.
    const isShort = itemKind !== "" && isFields(item) && !("kind" in item) && !("apiVersion" in item);
    const whole: unknown = isShort ? { ...item, apiVersion, kind: itemKind } : item;
    yield* toManifests(whole, [...path, "items", index]);
  }
}

function toManifest(value: Fields, { apiVersion, kind, path }: Identity): FoundObject {
  const at: FieldPath = [...path, "metadata"];
  const { metadata } = value;
  if (!isFields(metadata)) {
    throw new DocumentError(`metadata: expected an object with a name, found ${typeText(metadata)}`, {
      path: "metadata" in value ? at : path,
    });
  }
  if (!("name" in metadata) && "generateName" in metadata) {
    throw new DocumentError("metadata.generateName: an object needs a fixed name; set metadata.name", {
      path: [...at, "generateName"],
    });
  }
  textAt(metadata, "name", at, namePattern, 253);
  const { namespace } = metadata;
  // An empty namespace means none, as everywhere in the API.
  const hasNamespace = namespace !== undefined && namespace !== null && namespace !== "";
  if (hasNamespace) textAt(metadata, "namespace", at, namespacePattern, 63);
  for (const field of ["labels", "annotations"] as const) checkTexts(metadata[field], [...at, field]);
  checkReferences(metadata, at);
  const { manifest, dropped } = dropServerFields({ ...value, apiVersion, kind }, hasNamespace);
  return { manifest, path, dropped };
}

function textAt(fields: Fields, name: string, path: FieldPath, pattern: RegExp, longest: number): string {
  const value = fields[name];
  const field = nameOf([...path, name]);
  const where = { path: name in fields ? [...path, name] : path };
  if (value === undefined || value === null || value === "") {
    const hint =
      name === "name" ? "" : "; if it is not a Kubernetes object, exclude the file in .fairleadignore";
    throw new DocumentError(`${field}: is missing${hint}`, where);
  }
  if (typeof value !== "string") {
    throw new DocumentError(`${field}: expected text, found ${typeText(value)}${quoteHint(value)}`, where);
  }
  if (value.length <= longest && pattern.test(value)) return value;
  throw new DocumentError(`${field}: "${showText(value, { longest: 80 })}" is not a valid ${name}`, where);
}

/** Labels and annotations are text: a version such as 1.0, or yes, must be quoted. */
function checkTexts(value: unknown, path: FieldPath): void {
  if (value === undefined || value === null) return;
  if (!isFields(value)) {
    throw new DocumentError(`${nameOf(path)}: expected a map of texts, found ${typeText(value)}`, { path });
  }
  for (const [key, text] of Object.entries(value)) {
    if (typeof text === "string") continue;
    const field = `${nameOf(path)}["${showText(key, { longest: 80 })}"]`;
    throw new DocumentError(`${field}: expected text, found ${typeText(text)}${quoteHint(text)}`, {
      path: [...path, key],
    });
  }
}

/**
 * An owner is referenced by its uid, which is valid in one cluster only; with a wrong uid the garbage collector deletes
 * the object at once.
 */
function checkReferences({ ownerReferences }: Fields, path: FieldPath): void {
  if (ownerReferences === undefined || ownerReferences === null) return;
  if (Array.isArray(ownerReferences) && ownerReferences.length === 0) return;
  throw new DocumentError(
    "metadata.ownerReferences: the owner creates this object; remove the object or its owner references",
    { path: [...path, "ownerReferences"] },
  );
}

/** Name of a field without the position in a list, which is reported separately. */
function nameOf(path: FieldPath): string {
  return path.slice(path.findLastIndex((part) => typeof part === "number") + 1).join(".");
}

function quoteHint(value: unknown): string {
  return typeof value === "number" || typeof value === "boolean" ? "; put it in quotes" : "";
}

function typeText(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  return typeof value === "string" ? "text" : `a ${typeof value}`;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
