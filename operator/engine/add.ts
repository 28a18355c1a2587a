import { keyOf, type LiveObject } from "../../crds/object.ts";
import type { Addition } from "../../synth/manifest.ts";
import { ReplacedError } from "../errors.ts";
import type { Cluster, ObjectStore, Stores } from "../ports.ts";
import { type AttemptOptions, attempt } from "./attempt.ts";
import { type AdditionStep, findLack, planAdditions } from "./plan-additions.ts";
import { atATime, settleAll } from "./settle-all.ts";
import type { SettledObjects } from "./settled.ts";

export interface AddOptions extends AttemptOptions {
  readonly cluster: Pick<Cluster, "add">;
  readonly stores: Pick<Stores, "related">;
  readonly settled: SettledObjects;
  /** Told of every object that something was added to. */
  readonly onAdded: (live: LiveObject, addition: Addition) => void;
}

/**
 * Adds to objects that the resource does not own, side by side: one that fails holds up no other, and one that went
 * meanwhile needs nothing.
 *
 * @returns How many objects have what they should.
 * @throws The first failure: ObjectRejectedError, NamespaceTerminatingError, ApiUnavailableError, NotLeadingError.
 */
export async function add(additions: readonly Addition[], options: AddOptions): Promise<number> {
  const { stores, settled, count } = options;
  const { apply, keep } = planAdditions({
    additions,
    observed: (addition) => storeOf(addition, stores).get(keyOf(addition.manifest)),
    isSettled: (live, addition) => settled.has(live, addition),
  });
  count("kept", keep.length);
  const outcomes = await settleAll(apply, atATime, (step) => addOne(step, options));
  const failures = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  for (const failure of failures) if (!(failure instanceof ReplacedError)) throw failure;
  return keep.length + apply.length - failures.length;
}

async function addOne(step: AdditionStep, options: AddOptions): Promise<void> {
  const { cluster, stores, settled, count, onAdded } = options;
  const { addition, manifest, live } = step;
  const store = storeOf(addition, stores);
  store.written(await attempt(step, options, () => cluster.add(addition, { uid: live.metadata.uid })));
  count("updated", 1);
  onAdded(live, addition);
  // As the store keeps it, which is less than what was answered.
  const now = store.get(keyOf(manifest));
  // What it still lacks, another try would not bring either.
  if (now !== undefined && findLack(now, addition) !== undefined) settled.remember(now, addition);
}

function storeOf({ kind, selector }: Addition, stores: Pick<Stores, "related">): ObjectStore {
  return stores.related(kind, selector);
}
