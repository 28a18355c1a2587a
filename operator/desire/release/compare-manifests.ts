import {
  type ComparedManifests,
  type Comparison,
  type ListedField,
  OBJECT_PARTS,
  PART_DIGITS,
  PARTS,
  rulesDigestOf,
} from "../../../crds/stage-differences.ts";
import { digestOf } from "../../../synth/digest.ts";
import type { DesiredSet } from "../../engine/desired-set.ts";
import { type ComparableField, comparableFields } from "./comparable-fields.ts";

/** Limits of a list: number of fields, and length of a text. */
const mostListed = 96;
const longestText = 200;

/** Computes `status.next.compared`: digests by which two Releases can be compared, without values. Pure. */
export function compareManifests(
  prepared: Pick<DesiredSet, "objects">,
  { home, compare }: { readonly home: string; readonly compare: readonly Comparison[] },
): ComparedManifests[] {
  return compare.map(({ differences, parts: asked = [] }) => {
    const { digest, digests, parts } = divide(comparableFields(prepared, { home, differences }));
    const listed = list(parts, asked);
    return {
      rules: rulesDigestOf(differences),
      digest,
      parts: digests.map((one) => one.slice(0, PART_DIGITS)).join(""),
      ...(listed.length > 0 && { listed }),
    };
  });
}

/** The comparable digest, over all fields including those of Secrets. Pure. */
export function comparableDigestOf(fields: readonly ComparableField[]): string {
  return divide(fields).digest;
}

/** A field without its value. Pure. */
export function listedField({ object, field, text }: ComparableField): ListedField {
  return { object, ...(field !== undefined && { field }), digest: digestOf(text) };
}

interface Divided {
  readonly digest: string;
  /** The digest of each part. */
  readonly digests: readonly string[];
  readonly parts: readonly (readonly ComparableField[])[];
}

/** Divides the fields into parts. Values of Secrets are not included, because a short password could be guessed from its digest. */
function divide(fields: readonly ComparableField[]): Divided {
  const parts: ComparableField[][] = Array.from({ length: PARTS }, () => []);
  for (const field of fields) if (!field.isSecret) parts[partOf(field)]?.push(field);
  const digests = parts.map(digestOfFields);
  const secrets = fields.filter(({ isSecret }) => isSecret);
  return { digest: digestOf(`${digests.join(" ")} ${digestOfFields(secrets)}`), digests, parts };
}

/** The part of a field. It does not depend on the value, so that a field is in the same part in every Release. */
function partOf({ id, field }: ComparableField): number {
  if (field === undefined) return spread(id) % OBJECT_PARTS;
  return OBJECT_PARTS + (spread(`${id} ${field}`) % (PARTS - OBJECT_PARTS));
}

/** FNV-1a hash of a text. */
function spread(text: string): number {
  let number = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    number = Math.imul(number ^ text.charCodeAt(index), 0x01000193);
  return number >>> 0;
}

function digestOfFields(fields: readonly ComparableField[]): string {
  // JSON makes the borders between the texts unambiguous.
  const lines = fields.map(
    ({ id, field = "", text }) => `${JSON.stringify(id)} ${JSON.stringify(field)} ${text}\n`,
  );
  return digestOf(lines.join(""));
}

/** Lists the fields of complete parts only. In a truncated part, fields would seem to be missing. */
function list(
  parts: readonly (readonly ComparableField[])[],
  asked: readonly number[],
): NonNullable<ComparedManifests["listed"]> {
  let left = mostListed;
  return asked.flatMap((part) => {
    const fields = parts[part] ?? [];
    if (fields.length > left) return [];
    left -= fields.length;
    return [{ part, fields: fields.map(listedField).map(shorten) }];
  });
}

function shorten({ object, field, digest }: ListedField): ListedField {
  const cut = (text: string): string => (text.length > longestText ? `${text.slice(0, longestText)}…` : text);
  return {
    object: cut(object),
    ...(field !== undefined && { field: cut(field) }),
    digest: digest.slice(0, PART_DIGITS),
  };
}
