import { groupOf } from "../../../crds/object.ts";
import type { StageDifference } from "../../../crds/stage-differences.ts";
import { digestOf, toCanonicalJson } from "../../../synth/digest.ts";
import type { Manifest } from "../../../synth/manifest.ts";
import { unstampManifest } from "../../../synth/stamp.ts";
import { isBuiltInGroup } from "../../engine/built-in-group.ts";
import type { DesiredSet } from "../../engine/desired-set.ts";
import { after, extend, type FieldPattern, isNamed, patternsFor } from "./field-path.ts";
import type { PreparableRelease } from "./prepare-manifests.ts";

/** A field of a Release's manifests, in the form in which it is compared with another Release. */
export interface ComparableField {
  /** Identifies the object in both Releases. */
  readonly id: string;
  /** The object, for users. */
  readonly object: string;
  /** Path of the field; undefined: this entry represents the existence of the object. */
  readonly field: string | undefined;
  /** Its value in canonical JSON. It is never shown or published. */
  readonly text: string;
  /** Whether it is a value of a Secret. Not even the digest of a single such value is published. */
  readonly isSecret: boolean;
}

export interface ComparableOptions {
  /** See {@link homeOf}. */
  readonly home: string;
  /** The declared differences, which are left out. */
  readonly differences: readonly StageDifference[];
}

/** Namespace of the objects of a Release whose manifests have no namespace. Pure. */
export function homeOf({ metadata, spec }: PreparableRelease): string {
  return spec.target.namespace ?? metadata.namespace ?? "";
}

/** Keys whose value is the name of a namespace. The namespace of the Release counts as equal in all stages. */
const namespaceKeys: ReadonlySet<string> = new Set(["namespace", "kubernetes.io/metadata.name"]);
const homeText = "(the namespace of the Release)";
/** Maximum depth. A value at this depth is compared as a whole. */
const deepest = 64;
/** Maximum number of fields, of one object and of all objects. Objects beyond them are compared as a whole. */
const mostFields = { ofObject: 10_000, ofAll: 50_000 };

/**
 * The fields of all manifests, without declared differences, fields that the operator adds, and the namespace of the Release.
 * Objects are identified by kind and name. A field that contains only declared differences counts as absent. The order is
 * the same for equal manifests. Pure.
 */
export function comparableFields(
  { objects }: Pick<DesiredSet, "objects">,
  options: ComparableOptions,
): readonly ComparableField[] {
  // An ensured namespace does not come from the source.
  const manifests = objects
    .filter(({ isEnsured }) => !isEnsured)
    .map(({ manifest }) => unstampManifest(manifest));
  const counts = new Map<string, number>();
  const compared = manifests
    .toSorted(byName)
    .flatMap((manifest) => {
      const one = comparedObject(manifest, options, counts);
      return one === undefined ? [] : [{ ...one, manifest }];
    })
    .toSorted((a, b) => compare(a.id, b.id));
  let left = mostFields.ofAll;
  return compared.flatMap((one) => {
    const most = Math.min(left, mostFields.ofObject);
    const fields = fieldsOf(one, { ...options, most }) ?? wholeOf(one);
    left = Math.max(0, left - fields.length);
    return fields;
  });
}

interface ComparedObject {
  readonly id: string;
  readonly object: string;
  /** The fields that are left out. */
  readonly patterns: readonly FieldPattern[];
}

/** The name of an object that is the same in all stages; undefined: the whole object is left out. */
function comparedObject(
  manifest: Manifest,
  { home, differences }: ComparableOptions,
  counts: Map<string, number>,
): ComparedObject | undefined {
  const { apiVersion, kind, metadata } = manifest;
  const own = differences.filter((one) => isMeant(one, manifest));
  if (own.some(({ fields }) => fields === undefined)) return undefined;
  const patterns = patternsFor(own.flatMap(({ fields = [] }) => fields));
  const isPlaced = (metadata.namespace ?? home) !== home && !isNamed(patterns, ["metadata", "namespace"]);
  const place = isPlaced ? `${metadata.namespace}/` : "";
  const group = groupOf(apiVersion);
  const isHome = kind === "Namespace" && metadata.name === home;
  const name = isNamed(patterns, ["metadata", "name"])
    ? numbered(`${group}/${kind} ${place}`, counts)
    : isHome
      ? homeText
      : metadata.name;
  const object = `${isBuiltInGroup(group) ? kind : `${kind}.${group}`} ${place}${name}`;
  return { id: `${group}/${kind} ${place}${name}`, object, patterns };
}

interface WithManifest extends ComparedObject {
  readonly manifest: Manifest;
}

/** The fields of one object; undefined: too many. */
function fieldsOf(
  { id, object, patterns, manifest }: WithManifest,
  { home, most }: Pick<ComparableOptions, "home"> & { readonly most: number },
): readonly ComparableField[] | undefined {
  const { kind, apiVersion, metadata, ...others } = manifest;
  const { name: _, namespace: __, ...rest } = metadata;
  const isSecret = kind === "Secret" && apiVersion === "v1";
  const found: ComparableField[] = [{ id, object, field: undefined, text: "", isSecret: false }];
  const visit = (value: unknown, { field, key, depth, left, isHidden }: Place): void => {
    if (left.some(({ length }) => length === 0)) return;
    const keys = keysOf(value);
    if (keys.length > 0 && depth < deepest) {
      for (const name of keys) {
        // An object may have millions of fields.
        if (found.length > most) return;
        const place = { field: extend(field, name), key: name, depth: depth + 1 };
        visit(childOf(value, name), { ...place, left: after(left, name), isHidden });
      }
      return;
    }
    // Leave out an empty object or list that may contain declared differences: it may be empty only without them.
    if (keys.length === 0 && left.length > 0 && isContainer(value)) return;
    const isHere = value === home && namespaceKeys.has(String(key));
    found.push({ id, object, field, text: isHere ? homeText : toCanonicalJson(value), isSecret: isHidden });
  };
  const whole = { ...others, apiVersion, ...(Object.keys(rest).length > 0 && { metadata: rest }) };
  for (const key of keysOf(whole)) {
    const isHidden = isSecret && (key === "data" || key === "stringData");
    visit(childOf(whole, key), {
      field: extend("", key),
      key,
      depth: 1,
      left: after(patterns, key),
      isHidden,
    });
  }
  return found.length > most ? undefined : found;
}

/** An object with too many fields, compared as a whole. Single fields of it cannot be declared as differences. */
function wholeOf({ id, object, manifest }: WithManifest): readonly ComparableField[] {
  const { name: _, namespace: __, ...metadata } = manifest.metadata;
  const text = digestOf(toCanonicalJson({ ...manifest, metadata }));
  const isSecret = manifest.kind === "Secret";
  const whole = { id, object, field: "(too many fields to be compared one by one)", text, isSecret };
  return [{ id, object, field: undefined, text: "", isSecret: false }, whole];
}

/** The position of a value in a manifest. */
interface Place {
  readonly field: string;
  readonly key: string | number;
  readonly depth: number;
  /** Patterns that may still match below this position. */
  readonly left: readonly FieldPattern[];
  readonly isHidden: boolean;
}

/** Identifies an object whose name is declared as a difference by its position in the order of names. */
function numbered(prefix: string, counts: Map<string, number>): string {
  const number = (counts.get(prefix) ?? 0) + 1;
  counts.set(prefix, number);
  return `#${number}`;
}

function isMeant({ kind, name }: StageDifference, manifest: Manifest): boolean {
  return (kind ?? manifest.kind) === manifest.kind && matches(manifest.metadata.name, name);
}

/** Whether a name matches a pattern, in which `*` is any text. */
function matches(name: string, pattern = "*"): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** The keys in an order that does not depend on the order in the manifest. */
function keysOf(value: unknown): readonly (string | number)[] {
  if (Array.isArray(value)) return [...value.keys()];
  if (!isContainer(value)) return [];
  return Object.keys(value)
    .filter((key) => childOf(value, key) !== undefined)
    .sort();
}

function childOf(value: unknown, key: string | number): unknown {
  return (value as Readonly<Record<string | number, unknown>>)[key];
}

function byName({ metadata: a }: Manifest, { metadata: b }: Manifest): number {
  return compare(a.name, b.name) || compare(a.namespace ?? "", b.namespace ?? "");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
