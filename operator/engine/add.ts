import { keyOf, type LiveObject } from "../../crds/object.ts";
import type { Addition } from "../../synth/manifest.ts";
import { ReplacedError } from "../errors.ts";
import type { Cluster, Stores } from "../ports.ts";
import { type AttemptOptions, attempt } from "./attempt.ts";
import type { ShapeOf } from "./field-shape.ts";
import { type AdditionPlan, type AdditionStep, findLack } from "./plan-additions.ts";
import { atATime, settleAll } from "./settle-all.ts";
import type { SettledObjects } from "./settled.ts";

export interface AddOptions extends AttemptOptions {
  readonly cluster: Pick<Cluster, "add">;
  readonly stores: Pick<Stores, "related">;
  readonly settled: SettledObjects;
  readonly shapeOf: ShapeOf;
  /** Called for each object to which fields were added. */
  readonly onAdded: (live: LiveObject, addition: Addition) => void;
  /** Called for each addition that failed. */
  readonly onFailed: (addition: Addition, error: unknown) => void;
}

/**
 * Adds fields to objects that the resource does not own, in parallel. A failure does not block other additions. An object
 * that was deleted in the meantime is skipped.
 *
 * @returns The number of objects that have all additions.
 * @throws The first failure: ObjectRejectedError, NamespaceTerminatingError, ApiUnavailableError, NotLeadingError.
 */
export async function add({ apply, keep }: AdditionPlan, options: AddOptions): Promise<number> {
  options.count("kept", keep.length);
  const outcomes = await settleAll(apply, atATime, (step) => addOne(step, options));
  const failures = outcomes.flatMap((outcome, index) => {
    if (outcome.status === "fulfilled") return [];
    const step = apply[index];
    if (step !== undefined) options.onFailed(step.addition, outcome.reason);
    return [outcome.reason];
  });
  for (const failure of failures) if (!(failure instanceof ReplacedError)) throw failure;
  return keep.length + apply.length - failures.length;
}

async function addOne(step: AdditionStep, options: AddOptions): Promise<void> {
  const { cluster, stores, settled, shapeOf, count, onAdded } = options;
  const { addition, manifest, live } = step;
  const store = stores.related(addition.kind, addition.selector);
  store.written(await attempt(step, options, () => cluster.add(addition, { uid: live.metadata.uid })));
  count("updated", 1);
  onAdded(live, addition);
  // The store contains fewer fields than the API server's response.
  const now = store.get(keyOf(manifest));
  // If the object still lacks fields after the apply, a second apply would not add them either.
  if (now !== undefined && findLack(now, addition, shapeOf) !== undefined) settled.remember(now, addition);
}
