import type { Inventory } from "../../../crds/inventory.ts";
import { kindIn, type ObjectId, type ObjectKindId } from "../../../synth/manifest.ts";
import type { FoundStores } from "../../cluster/found-kinds/ports.ts";
import type { PruneDecision } from "../../engine/decide-prune.ts";
import { composeInventory, inventoryOf, recordedIdsOf } from "../../engine/inventory.ts";
import type { Clock, ObjectStore } from "../../ports.ts";
import type { LoadedRelease } from "./load-release.ts";
import type { Desired, KnownObjects } from "./release-memory.ts";

/** Time for which a request without a response may still be executed, in milliseconds. */
export const lateWritesMs = 10_000;

export interface TakeInventoryInput {
  readonly release: LoadedRelease;
  readonly desired: Desired;
  /** The memory about its objects. */
  readonly known: KnownObjects;
  readonly pruned: PruneDecision;
  readonly isApplied: boolean;
  /** Kinds of recorded objects that may not be watched. */
  readonly unseen: ReadonlySet<ObjectKindId>;
}

export interface TakeInventoryOptions {
  readonly releases: ObjectStore;
  readonly stores: FoundStores;
  readonly clock: Clock;
  /** Time for which a request of the previous operator may still be executed after its end. */
  readonly predecessorMs: () => number;
}

export interface TakenInventory {
  readonly inventory: Inventory;
  /** Entries are kept because a late request may still create their objects. Check again after this many milliseconds. */
  readonly againAfterMs: number | undefined;
  readonly known: KnownObjects;
}

/**
 * Composes the inventory after apply and prune. An entry is removed only if its object is known not to exist: its kind is
 * watched, and no request that could create it is in progress.
 */
export function takeInventory(
  { release, desired, known, pruned, isApplied, unseen }: TakeInventoryInput,
  options: TakeInventoryOptions,
): TakenInventory {
  const { key, set } = release;
  const resource = options.releases.get(key) ?? release.resource;
  const recorded = recordedIdsOf(resource);
  const owned = options.stores.owned(set, recorded);
  const lateMs = lateMsOf(known, options);
  const mayArrive = (id: ObjectId): boolean => lateMs > 0 && !known.seen.has(id);
  const inventory = composeInventory({
    owned,
    prepared: desired.prepared,
    previous: inventoryOf(resource),
    isComplete: isApplied && pruned.now.length + pruned.later.length === 0,
    mayExist: (id) => unseen.has(kindIn(id)) || mayArrive(id),
  });
  const there = new Set(owned.map(({ id }) => id));
  const isWaiting = inventory.entries.some((id) => !there.has(id) && mayArrive(id));
  const isOver = lateMs === 0 && known.seen.size > 0;
  return {
    inventory,
    againAfterMs: isWaiting ? lateMs : undefined,
    known: isOver ? { ...known, seen: new Set() } : known,
  };
}

/**
 * Records which objects exist, while late requests may still create others. An object that has existed and was deleted
 * cannot be created by a late request.
 */
export function withSeen(
  known: KnownObjects,
  release: LoadedRelease,
  options: TakeInventoryOptions,
): KnownObjects {
  if (lateMsOf(known, options) === 0) return known;
  const { key, set } = release;
  const recorded = recordedIdsOf(options.releases.get(key) ?? release.resource);
  const owned = options.stores.owned(set, recorded);
  return { ...known, seen: new Set([...known.seen, ...owned.map(({ id }) => id)]) };
}

/** The memory after a failed request that may still be executed. An existing namespace may have been deleted as well. */
export function afterFailure({ clock }: Pick<TakeInventoryOptions, "clock">): KnownObjects {
  return { found: new Map(), seen: new Set(), failedAtMs: clock.now() };
}

/** Remaining time, in milliseconds, in which a request without a response may still create an object. 0: there is none. */
export function lateMsOf(
  { failedAtMs }: KnownObjects,
  { clock, predecessorMs }: Pick<TakeInventoryOptions, "clock" | "predecessorMs">,
): number {
  const own = failedAtMs === undefined ? 0 : failedAtMs + lateWritesMs - clock.now();
  return Math.max(0, own, predecessorMs());
}
