import { groupKindOf } from "../../crds/object.ts";
import type { KeptObject, LifetimeRule, OwnedObject } from "./desired-set.ts";

/** Objects that are no longer desired, sorted by what happens to them. */
export interface SortedByLifetime {
  /** Objects that are deleted, possibly after approval. */
  readonly lasting: readonly OwnedObject[];
  /** Objects of kinds that are created once, and that are deleted without approval. */
  readonly over: readonly OwnedObject[];
  /** Objects of kinds that are created once, and that stay. */
  readonly stay: readonly KeptObject[];
}

/** Decides which objects stay although they are no longer desired, by the lifetime rules of their kinds. Pure. */
export function sortByLifetime(
  surplus: readonly OwnedObject[],
  rules: readonly LifetimeRule[] = [],
): SortedByLifetime {
  if (rules.length === 0) return { lasting: surplus, over: [], stay: [] };
  const byKind = Map.groupBy(surplus, ({ kind }) => groupKindOf(kind));
  const over: OwnedObject[] = [];
  const stay: KeptObject[] = [];
  for (const { kind, lifetime, keep } of rules) {
    const left = byKind.get(groupKindOf(kind)) ?? [];
    byKind.delete(groupKindOf(kind));
    if (left.length === 0) continue;
    const kept = keep && new Set(keep(left.toSorted(byAge).map(({ live }) => live)).map(uidOf));
    for (const object of left) {
      if (kept === undefined || kept.has(uidOf(object.live)))
        stay.push({ ...object, why: `its lifetime is "${lifetime}", and its kind keeps it` });
      else over.push(object);
    }
  }
  return { lasting: [...byKind.values()].flat(), over, stay };
}

/** Number of objects without a lifetime rule. Pure. */
export function countLasting(objects: readonly OwnedObject[], rules: readonly LifetimeRule[] = []): number {
  if (rules.length === 0) return objects.length;
  const others = new Set(rules.map(({ kind }) => groupKindOf(kind)));
  return objects.filter(({ kind }) => !others.has(groupKindOf(kind))).length;
}

function uidOf({ metadata }: OwnedObject["live"]): string {
  return metadata.uid;
}

/** Sorts objects by age, and those of the same second by name. */
function byAge(a: OwnedObject, b: OwnedObject): number {
  const [one, two] = [a.live.metadata, b.live.metadata];
  return (
    compare(one.creationTimestamp ?? "", two.creationTimestamp ?? "") ||
    compare(one.name, two.name) ||
    compare(a.id, b.id)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
