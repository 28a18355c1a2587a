import type { ObjectId } from "../../synth/manifest.ts";
import type { ApplyStage } from "./apply-stage.ts";

/** An object and the objects that must exist before it. */
export interface Orderable {
  readonly id: ObjectId;
  /** The stage of its kind. */
  readonly stage: ApplyStage;
  /** Ids of other objects of the list. */
  readonly needs: readonly ObjectId[];
}

export type Ordered<Item> =
  | { readonly order: readonly (Item & { readonly stage: ApplyStage })[]; readonly cycle?: never }
  /** Ids. Each object needs the next one; the last id equals the first. */
  | { readonly cycle: readonly ObjectId[]; readonly order?: never };

/**
 * Sorts objects into apply order: by stage, within a stage after their needs, and otherwise in the given order. An object
 * that needs an object of a later stage is moved to that stage, so that no stage waits for a later one. Kahn's algorithm.
 * Pure.
 */
export function orderObjects<Item extends Orderable>(items: readonly Item[]): Ordered<Item> {
  if (items.every(({ needs }) => needs.length === 0)) return { order: items.toSorted(byStage) };
  const byId = new Map(items.map((item) => [item.id, item]));
  const stages = new Map<ObjectId, ApplyStage>(items.map(({ id, stage }) => [id, stage]));
  const left = new Map(items.map(({ id, needs }) => [id, needs.length]));
  const dependents = new Map<ObjectId, ObjectId[]>();
  for (const { id, needs } of items) {
    for (const need of needs) dependents.getOrInsertComputed(need, () => []).push(id);
  }
  const done = items.filter(({ needs }) => needs.length === 0);
  for (let at = 0; at < done.length; at++) {
    const { id } = done[at] as Item;
    for (const dependent of dependents.get(id) ?? []) {
      stages.set(dependent, later(stages.get(dependent), stages.get(id)));
      const remaining = (left.get(dependent) ?? 0) - 1;
      left.set(dependent, remaining);
      const item = byId.get(dependent);
      if (remaining === 0 && item !== undefined) done.push(item);
    }
  }
  if (done.length < items.length) return { cycle: findCycle(byId, left) };
  return { order: done.map((item) => ({ ...item, stage: stages.get(item.id) ?? item.stage })).sort(byStage) };
}

function byStage(a: Orderable, b: Orderable): number {
  return a.stage - b.stage;
}

function later(a: ApplyStage = 0, b: ApplyStage = 0): ApplyStage {
  return a > b ? a : b;
}

/** Finds a cycle. Every remaining object needs another remaining one, so a path along needs reaches an object twice. */
function findCycle(
  byId: ReadonlyMap<ObjectId, Orderable>,
  left: ReadonlyMap<ObjectId, number>,
): readonly ObjectId[] {
  const isLeft = (id: ObjectId) => (left.get(id) ?? 0) > 0;
  const path: ObjectId[] = [];
  const seen = new Map<ObjectId, number>();
  let id = [...byId.keys()].filter(isLeft).sort()[0];
  while (id !== undefined && !seen.has(id)) {
    seen.set(id, path.length);
    path.push(id);
    id = byId.get(id)?.needs.find(isLeft);
  }
  return id === undefined ? path : [...path.slice(seen.get(id)), id];
}
