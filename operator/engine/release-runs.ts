import type { ObjectKind } from "../../crds/object.ts";
import { idOf } from "../../synth/manifest.ts";
import { ReplacedError } from "../errors.ts";
import type { Cluster, ObjectStore } from "../ports.ts";
import type { OwnedObject } from "./desired-set.ts";
import type { StepReason } from "./reasons.ts";
import { RUN_FINALIZER } from "./run-finalizer.ts";
import { atATime, settleAll } from "./settle-all.ts";

export interface ReleaseRunsOptions {
  readonly cluster: Pick<Cluster, "patchMetadata">;
  /** The local copy of the objects of a kind. */
  readonly storeOf: (kind: ObjectKind) => Pick<ObjectStore, "written">;
}

/**
 * Removes our finalizer from runs, in parallel. Skips a run that has changed in the meantime: the change causes another
 * reconcile.
 *
 * @returns The removals and their reasons.
 * @throws The first failure: ApiUnavailableError, NotLeadingError.
 */
export async function releaseRuns(
  runs: readonly OwnedObject[],
  options: ReleaseRunsOptions,
): Promise<readonly StepReason[]> {
  const outcomes = await settleAll(runs, atATime, (run) => releaseRun(run, options));
  return outcomes.flatMap((outcome) => {
    if (outcome.status === "fulfilled") return outcome.value;
    if (outcome.reason instanceof ReplacedError) return [];
    throw outcome.reason;
  });
}

async function releaseRun(
  { kind, live }: OwnedObject,
  { cluster, storeOf }: ReleaseRunsOptions,
): Promise<readonly StepReason[]> {
  const { name, namespace, uid, resourceVersion, finalizers = [] } = live.metadata;
  const left = finalizers.filter((finalizer) => finalizer !== RUN_FINALIZER);
  // The resourceVersion protects finalizers that other clients add or remove at the same time.
  const change = { uid, resourceVersion, finalizers: left };
  const now = await cluster.patchMetadata({ kind, namespace, name }, change);
  if (now === undefined) return [];
  storeOf(kind).written(now);
  return [{ does: "release", id: idOf(live), reason: "its outcome is recorded, or no longer needed" }];
}
