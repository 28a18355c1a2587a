import { keyOf, type LiveObject } from "../../crds/object.ts";
import type { Addition } from "../../synth/manifest.ts";
import { NotOwnedError, ObjectRejectedError, ReplacedError } from "../errors.ts";
import type { Cluster, Stores } from "../ports.ts";
import { ownsExactly } from "./owned-fields.ts";
import { atATime, settleAll } from "./settle-all.ts";
import type { SettledObjects } from "./settled.ts";

export interface RemoveFieldsOptions {
  readonly cluster: Pick<Cluster, "add">;
  readonly stores: Pick<Stores, "related">;
  /** Skips objects for which this was tried and changed nothing. Default: none is skipped. */
  readonly settled?: SettledObjects;
  readonly onRemoved?: (live: LiveObject) => void;
  /**
   * Told of an object whose fields the API server refuses to remove. That fails nothing: anybody who may write an object can
   * write our field manager into it.
   */
  readonly onKept: (live: LiveObject, error: Error) => void;
}

/**
 * Removes what a resource has set of objects of others, side by side.
 *
 * @param removals Additions without fields.
 * @throws The first failure that may not come again: NamespaceTerminatingError, ApiUnavailableError, NotLeadingError.
 */
export async function removeFields(
  removals: readonly Addition[],
  options: RemoveFieldsOptions,
): Promise<void> {
  const outcomes = await settleAll(removals, atATime, (removal) => removeOne(removal, options));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

async function removeOne(removal: Addition, options: RemoveFieldsOptions): Promise<void> {
  const { cluster, stores, settled, onRemoved, onKept } = options;
  const store = stores.related(removal.kind, removal.selector);
  const key = keyOf(removal.manifest);
  const live = store.get(key);
  // One that is being deleted takes them along.
  if (live === undefined || live.metadata.deletionTimestamp !== undefined) return;
  if (settled?.has(live, removal)) return;
  try {
    store.written(await cluster.add(removal, { uid: live.metadata.uid }));
  } catch (error) {
    if (error instanceof ReplacedError) return;
    if (!(error instanceof ObjectRejectedError || error instanceof NotOwnedError)) throw error;
    settled?.remember(live, removal);
    onKept(live, error);
    return;
  }
  onRemoved?.(live);
  const now = store.get(key);
  if (now !== undefined && !ownsExactly(now, removal)) settled?.remember(now, removal);
}
