import { keyOf, type LiveObject } from "../../crds/object.ts";
import type { Addition } from "../../synth/manifest.ts";
import { NotOwnedError, ObjectRejectedError, ReplacedError } from "../errors.ts";
import type { Cluster, Stores } from "../ports.ts";
import { ownsExactly } from "./owned-fields.ts";
import { planRemovals, type RemovalPlan } from "./plan-additions.ts";
import { atATime, settleAll } from "./settle-all.ts";
import type { SettledObjects } from "./settled.ts";

export interface RemoveFieldsOptions {
  readonly cluster: Pick<Cluster, "add">;
  readonly stores: Pick<Stores, "related">;
  /** Objects in which a removal changed nothing. They are skipped. Default: none. */
  readonly settled?: SettledObjects;
  readonly onRemoved?: (live: LiveObject) => void;
  /**
   * Called for an object whose fields the API server refuses to remove. This is not a failure: any user who may write an
   * object can add fields in the name of our field manager.
   */
  readonly onKept: (live: LiveObject, error: Error) => void;
  /** Called for each removal that failed. */
  readonly onFailed?: (removal: Addition, error: unknown) => void;
}

/**
 * Removes the fields that a resource has set in objects of other owners, in parallel.
 *
 * @param removals Additions without fields.
 * @throws The first temporary failure: NamespaceTerminatingError, ApiUnavailableError, NotLeadingError.
 */
export async function removeFields(
  removals: readonly Addition[],
  options: RemoveFieldsOptions,
): Promise<void> {
  const { stores, settled, onFailed } = options;
  const { remove } = planRemovals({
    removals,
    observed: ({ kind, selector, manifest }) => stores.related(kind, selector).get(keyOf(manifest)),
    isSettled: (live, removal) => settled?.has(live, removal) ?? false,
  });
  const outcomes = await settleAll(remove, atATime, (step) => removeOne(step, options));
  for (const [index, outcome] of outcomes.entries()) {
    const step = remove[index];
    if (outcome.status === "rejected" && step !== undefined) onFailed?.(step.removal, outcome.reason);
  }
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

async function removeOne(
  { removal, live }: RemovalPlan["remove"][number],
  { cluster, stores, settled, onRemoved, onKept }: RemoveFieldsOptions,
): Promise<void> {
  const store = stores.related(removal.kind, removal.selector);
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
  const now = store.get(keyOf(removal.manifest));
  if (now !== undefined && !ownsExactly(now, removal)) settled?.remember(now, removal);
}
