import { groupKindOf, type ObjectKind } from "./object.ts";

/** Names joined by dots, at least two: a field of the main resource, and not an item of a list. */
const fieldPath = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+$/;
/** Identity and ownership, and fields that the controllers of the object report. */
const refused: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "status"]);

/** The part of an entry of `related` that allows the chart to add to these objects. */
interface Added {
  readonly kind: ObjectKind;
  readonly selector?: string | undefined;
  readonly subresource?: string | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly soughtKey?: unknown;
  readonly trailers?: unknown;
}

/** Whether a chart may add to these objects. */
export function isAddedTo({ subresource, fields }: Omit<Added, "kind">): boolean {
  return subresource !== undefined || fields !== undefined;
}

/**
 * Validates the additions of a kind to objects that it does not own.
 *
 * @throws RangeError if a manifest of the chart would be ambiguous, or a path does not refer to a single field.
 */
export function checkAdditions(
  definition: ObjectKind,
  children: readonly ObjectKind[],
  related: readonly Added[],
): void {
  const seen = new Set<string>();
  const unset = related.find((entry) => entry.trailers !== undefined && !mayHaveTrailers(entry));
  if (unset !== undefined)
    throw new RangeError(
      `Cannot bind "${definition.kind}": ${unset.kind.kind} has trailers, which need fields and no soughtKey`,
    );
  for (const entry of related.filter(isAddedTo)) {
    const { kind, selector, subresource, fields } = entry;
    const groupKind = groupKindOf(kind);
    const fail = (why: string): never => {
      throw new RangeError(`Cannot bind "${definition.kind}": ${why}`);
    };
    if (children.some((child) => groupKindOf(child) === groupKind))
      fail(`${kind.kind} is a child kind, so nothing can be added to others`);
    if (seen.has(groupKind)) fail(`two related entries add to ${kind.kind}`);
    seen.add(groupKind);
    if (fields === undefined) continue;
    if (subresource !== undefined) fail(`${kind.kind} has both a subresource and fields`);
    if (groupKind === groupKindOf(definition)) fail("it cannot set fields of its own kind");
    if (selector !== undefined)
      fail(`${kind.kind} has fields and a selector: fields of an object that leaves it could not be removed`);
    // Pods have few mutable fields, and local copies of pods omit most fields.
    if (groupKind === "pods") fail("fields of pods cannot be set");
    const problem = findProblem(fields);
    if (problem !== undefined) fail(`${kind.kind} ${problem}`);
  }
}

function mayHaveTrailers({ fields, soughtKey }: Added): boolean {
  return fields !== undefined && soughtKey === undefined;
}

function findProblem(fields: readonly string[]): string | undefined {
  if (fields.length === 0) return "has an empty list of fields";
  for (const [index, field] of fields.entries()) {
    if (!fieldPath.test(field))
      return `has "${field}", which is not the path of a field, such as spec.paused`;
    if (refused.has(field.split(".", 1)[0] ?? "")) return `has "${field}", which only its owner may set`;
    const other = fields.find((one, at) => at !== index && `${field}.`.startsWith(`${one}.`));
    if (other !== undefined) return `has "${field}", which "${other}" includes`;
  }
  return undefined;
}
