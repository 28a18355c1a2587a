import type { Manifest } from "../../../synth/manifest.ts";
import { programFailure } from "./program-failure.ts";

const halfCharacter = "contains a lone surrogate (half of a character)";
/** Maximum nesting of an object. */
const DEPTH = 110;
/** Characters of a path in a message. */
const PATH_CHARACTERS = 200;
/** Names that the operator accepts (operator/sandbox/read-object.ts), and their maximum lengths. */
const apiVersionPattern = /^(?=.{1,317}$)([a-z0-9][-a-z0-9.]*\/)?[a-z0-9]+$/i;
const kindPattern = /^[a-z][a-z0-9]{0,62}$/i;
const namePattern = /^(?!\.{1,2}$)[^/%\s\p{C}]+$/u;
/** Fields that only the API server writes. */
const serverFields = [
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "managedFields",
  "selfLink",
];

/**
 * Checks one object that a program created, and removes the fields that only the API server writes.
 *
 * @param origin Path of its construct, for messages.
 * @returns The manifest, and the removed fields.
 * @throws SourceError RenderFailed.
 */
export function readManifest(
  object: Record<string, unknown>,
  origin: string,
): { readonly manifest: Manifest; readonly dropped: readonly string[] } {
  const refuse = (why: string): never => {
    throw programFailure(`${origin}: ${why}`);
  };
  const odd = findOddPart(object, 0);
  if (odd !== undefined) return refuse(`${odd.path.slice(1, 1 + PATH_CHARACTERS) || "it"} ${odd.why}`);
  const { apiVersion, kind, metadata, status, ...rest } = object;
  if (typeof apiVersion !== "string" || !apiVersionPattern.test(apiVersion)) {
    return refuse(`apiVersion is not an API version but ${show(apiVersion)}`);
  }
  if (typeof kind !== "string" || !kindPattern.test(kind)) {
    return refuse(`kind is not a kind but ${show(kind)}`);
  }
  if (!isRecord(metadata)) return refuse("it has no metadata");
  const { name, namespace, labels, annotations } = metadata;
  if (typeof name !== "string" || name.length > 253 || !namePattern.test(name)) {
    return refuse(`metadata.name is not a name but ${show(name)}`);
  }
  if (
    namespace !== undefined &&
    (typeof namespace !== "string" || !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace))
  ) {
    return refuse(`metadata.namespace is not a namespace name but ${show(namespace)}`);
  }
  for (const [field, texts] of Object.entries({ labels, annotations })) {
    if (texts === undefined) continue;
    if (!isRecord(texts)) return refuse(`metadata.${field} is not an object but ${show(texts)}`);
    const [wrong] = Object.entries(texts).filter(([, text]) => typeof text !== "string");
    if (wrong !== undefined) {
      return refuse(`metadata.${field}["${wrong[0]}"] is not text but ${show(wrong[1])}`);
    }
  }
  const kept = Object.entries(metadata).filter(([field]) => !serverFields.includes(field));
  const dropped = [
    ...(status === undefined ? [] : ["status"]),
    ...serverFields.filter((field) => metadata[field] !== undefined).map((field) => `metadata.${field}`),
  ];
  const manifest = { apiVersion, kind, metadata: Object.fromEntries(kept), ...rest } as unknown as Manifest;
  return { manifest, dropped };
}

/** A part of an object that is not accepted. */
interface OddPart {
  /** Path below the value, such as `.spec[0].x`; empty for the value itself. */
  readonly path: string;
  readonly why: string;
}

/**
 * Finds a part that is nested too deeply, or has a key or a text that is not accepted. Only the path of that part is written:
 * the paths of all parts would take 0.2 s for the largest object.
 */
function findOddPart(value: unknown, depth: number): OddPart | undefined {
  if (typeof value === "string") return value.isWellFormed() ? undefined : { path: "", why: halfCharacter };
  if (typeof value !== "object" || value === null) return undefined;
  if (depth > DEPTH) return { path: "", why: "is nested too deeply" };
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const odd = findOddPart(value[index], depth + 1);
      if (odd !== undefined) return { ...odd, path: `[${index}]${odd.path}` };
    }
    return undefined;
  }
  for (const key of Object.keys(value)) {
    if (!key.isWellFormed()) return { path: "", why: `has a key that ${halfCharacter}` };
    if (key === "__proto__") return { path: "", why: 'has a key "__proto__"' };
    const odd = findOddPart((value as Record<string, unknown>)[key], depth + 1);
    if (odd !== undefined) return { ...odd, path: `.${key}${odd.path}` };
  }
  return undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function show(value: unknown): string {
  return value === undefined ? "absent" : (JSON.stringify(value)?.slice(0, 100) ?? typeof value);
}
