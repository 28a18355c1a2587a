import { createHash } from "node:crypto";
import * as z from "zod";

/** One name in a path of a field. */
const name = String.raw`[^.\[\]"\s]+`;

/** Path of a field: `spec.template.spec.containers[*].image`, `metadata.annotations["example.dev/owner"]`. */
const fieldPath = z
  .string()
  .min(1)
  .max(512)
  .regex(new RegExp(`^${name}(\\.${name}|\\[(\\*|[0-9]+|"[^"]+")\\])*$`));

/** Objects, or fields of objects, in which a stage may differ from earlier stages. */
export const stageDifference = z
  .object({
    kind: z
      .string()
      .min(1)
      .max(63)
      .optional()
      .describe("Kind of the objects, such as `Deployment`. Default: every kind."),
    name: z
      .string()
      .min(1)
      .max(253)
      .optional()
      .describe("Name of the objects; `*` is any text. Default: every name."),
    fields: z
      .array(fieldPath)
      .min(1)
      .max(32)
      .optional()
      .describe(
        "Paths of fields, such as `spec.replicas` or `spec.template.spec.containers[*].image`, each with everything below it. Default: the whole objects, which may also be missing in a stage.",
      ),
  })
  .describe("Objects, or fields of objects, that may differ.");

export type StageDifference = z.output<typeof stageDifference>;

/** The declared differences of a stage. */
export const stageDifferences = z.array(stageDifference).max(32);

/** Number of parts into which the compared manifests are divided. */
export const PARTS = 128;
/** Number of the first parts, which contain the ids of the objects. The other parts contain their fields. */
export const OBJECT_PARTS = 16;
/** Length of the digest of a part, and of the digest of a listed field. */
export const PART_DIGITS = 6;

/** `spec.next.compare` of a Release. */
export const comparison = z.object({
  differences: stageDifferences.describe("Objects and fields to leave out."),
  parts: z
    .array(
      z
        .int32()
        .min(0)
        .max(PARTS - 1),
    )
    .max(16)
    .optional()
    .describe("Parts whose fields are to be listed."),
});

export type Comparison = z.output<typeof comparison>;

const listedField = z.object({
  object: z.string().describe("The object."),
  field: z.string().optional().describe("Path of the field. Absent: the entry is the object itself."),
  digest: z.string().describe("Prefix of the digest of its value."),
});

export type ListedField = z.output<typeof listedField>;

/** `status.next.compared` of a Release. */
export const comparedManifests = z.object({
  rules: z.string().describe("Digest of the declared differences."),
  digest: z.string().describe("Digest of all manifests without them."),
  parts: z
    .string()
    .describe(
      `Digests of ${PARTS} parts of these manifests, ${PART_DIGITS} digits each, without the values of Secrets. Two Releases differ in the parts whose digests differ.`,
    ),
  listed: z
    .array(
      z.object({
        part: z.int32().describe("Number of the part."),
        fields: z.array(listedField).describe("Its fields."),
      }),
    )
    .optional()
    .describe("Fields of the requested parts."),
});

export type ComparedManifests = z.output<typeof comparedManifests>;

/** Digest by which a Pipeline and its Releases name the same declared differences. Pure. */
export function rulesDigestOf(differences: readonly StageDifference[]): string {
  const rules = differences.map(({ kind = null, name: called = null, fields = null }) => [
    kind,
    called,
    fields,
  ]);
  return createHash("sha256").update(JSON.stringify(rules)).digest("hex").slice(0, 32);
}

/** Numbers of the parts in which two Releases differ. Pure. */
export function differingParts(ours: string, theirs: string): readonly number[] {
  return Array.from({ length: PARTS }, (_, part) => part).filter((part) => {
    const start = part * PART_DIGITS;
    return ours.slice(start, start + PART_DIGITS) !== theirs.slice(start, start + PART_DIGITS);
  });
}

/**
 * Names the fields in which two Releases differ: `Deployment web: spec.replicas`, `Ingress web (only here)`. The fields of
 * an object that only one of them has are left out. Pure.
 */
export function nameDifferences(
  ours: readonly ListedField[],
  theirs: readonly ListedField[],
): readonly string[] {
  const [here, there] = [byPlace(ours), byPlace(theirs)];
  const all = new Map([...here, ...there]);
  const differing = [...all].filter(([place]) => here.get(place)?.digest !== there.get(place)?.digest);
  const alone = new Map(
    differing.flatMap(([place, { object, field }]) =>
      field === undefined ? [[object, here.has(place) ? "here" : "there"] as const] : [],
    ),
  );
  const texts = differing.flatMap(([, { object, field }]) => {
    if (field === undefined) return [`${object} (only ${alone.get(object)})`];
    return alone.has(object) ? [] : [`${object}: ${field}`];
  });
  return texts.toSorted();
}

/**
 * Advice where each of two Releases has an object of a kind that the other one lacks, which may be one object with two names; empty
 * otherwise. Pure.
 *
 * @param names As {@link nameDifferences} has them, also in a longer text.
 */
export function adviseOnNames(names: readonly string[]): string {
  const kindsOnly = (where: string) =>
    new Set(
      names.flatMap((text) =>
        [...text.matchAll(alone)].flatMap(([, kind, at]) => (at === where ? kind : [])),
      ),
    );
  const isTwice = !kindsOnly("here").isDisjointFrom(kindsOnly("there"));
  return isTwice ? "; if such objects are the same under two names, declare metadata.name" : "";
}

const alone = /(\S+) \S+ \(only (here|there)\)/g;

function byPlace(fields: readonly ListedField[]): ReadonlyMap<string, ListedField> {
  return new Map(fields.map((one) => [`${one.object}\n${one.field ?? ""}`, one]));
}
