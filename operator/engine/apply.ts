import { keyOf, type LiveObject, type ObjectKind } from "../../crds/object.ts";
import { idOf } from "../../synth/manifest.ts";
import { AlreadyThereError, NotOwnedError, ReplacedError } from "../errors.ts";
import type { Cluster, ObjectStore } from "../ports.ts";
import { resultOfStep } from "./apply-result.ts";
import { type AttemptOptions, attempt } from "./attempt.ts";
import type { ApplyStep } from "./decide-object.ts";
import type { LostObjects } from "./lost.ts";
import { metadataPatch } from "./metadata-only.ts";
import { decideOwnership } from "./ownership.ts";
import { atATime, settleAll } from "./settle-all.ts";

export interface ApplyOptions extends AttemptOptions {
  readonly cluster: Pick<Cluster, "apply" | "read" | "takeOverFields" | "patchMetadata">;
  /** The local copy of the objects of a kind. */
  readonly storeOf: (kind: ObjectKind) => ObjectStore;
  readonly lost: LostObjects;
  /** Whether an existing object of this name is sufficient, regardless of its creator. Default: never. */
  readonly isEnough?: (step: ApplyStep) => boolean;
  /** Receives each result in apply order, also if another step of the stage fails. */
  readonly onResult: (result: StepResult) => void;
  /** Receives each failure of the stage in apply order. */
  readonly onFailed: (error: unknown) => void;
}

/**
 * Result of one step. If the resource already owns an object of this name, the object is not applied: the plan is
 * recomputed with it.
 */
export interface StepResult {
  readonly step: ApplyStep;
  /** The object in the server's response. An applied object is in the store already. */
  readonly live: LiveObject;
  readonly was: "applied" | "ours" | "adopted";
  /** Whether another client had deleted the object. */
  readonly wasLost: boolean;
}

/**
 * Applies a plan's manifests, stage by stage and in parallel within a stage. After a failure, or if an existing object was
 * found, the rest of the stage is still applied, but no later stage begins.
 *
 * @throws The first failure in apply order: ObjectRejectedError, NotOwnedError, ReplacedError,
 *   NamespaceTerminatingError, ApiUnavailableError, NotLeadingError.
 */
export async function apply(
  stages: readonly (readonly ApplyStep[])[],
  options: ApplyOptions,
): Promise<readonly StepResult[]> {
  const results: StepResult[] = [];
  for (const stage of stages) {
    const outcomes = await settleAll(stage, atATime, (step) => applyOne(step, options));
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") {
        options.onFailed(outcome.reason);
        continue;
      }
      options.onResult(outcome.value);
      results.push(outcome.value);
    }
    const failure = outcomes.find(({ status }) => status === "rejected");
    if (failure?.status === "rejected") throw failure.reason;
    if (results.some(({ was }) => was !== "applied")) break;
  }
  return results;
}

async function applyOne(step: ApplyStep, options: ApplyOptions): Promise<StepResult> {
  const { loaded, lost, count, storeOf } = options;
  const { live, was } = await attempt(step, options, () => send(step, options));
  const key = keyOf(loaded.resource);
  // A watch that is further than the response may have missed the object: then it is already deleted.
  if (was === "applied" && storeOf(step.kind).get(keyOf(live)) === undefined) lost.note(live, [key]);
  const wasLost = was === "applied" && lost.take(key, live);
  count(
    was === "applied" ? resultOfStep(step, { answer: live, wasLost }) : was === "adopted" ? was : "conflict",
    1,
  );
  return { step, live, was, wasLost };
}

async function send(
  step: ApplyStep,
  { loaded, cluster, storeOf, isEnough }: ApplyOptions,
): Promise<Pick<StepResult, "live" | "was">> {
  const { kind } = step;
  try {
    const live = await write(step, cluster);
    storeOf(kind).written(live);
    return { live, was: "applied" };
  } catch (error) {
    if (!(error instanceof AlreadyThereError)) throw error;
    return await claim(step, { loaded, cluster, isEnough: isEnough?.(step) ?? false });
  }
}

/** Applies the manifest, or patches only the metadata. An apply without the content would remove the content, which we own. */
async function write(
  { kind, manifest, guard, live, only }: ApplyStep,
  cluster: ApplyOptions["cluster"],
): Promise<LiveObject> {
  if (only === undefined || live === undefined || !live.ours)
    return await cluster.apply(kind, manifest, guard);
  const { name, namespace } = manifest.metadata;
  const patched = await cluster.patchMetadata({ kind, name, namespace }, metadataPatch(manifest, live));
  if (patched === undefined) throw new ReplacedError(idOf(manifest));
  return patched;
}

/** Determines the owner of the existing object with one read. */
async function claim(
  { kind, manifest }: ApplyStep,
  { loaded, cluster, isEnough }: Pick<ApplyOptions, "loaded" | "cluster"> & { readonly isEnough: boolean },
): Promise<Pick<StepResult, "live" | "was">> {
  const id = idOf(manifest);
  const { name, namespace } = manifest.metadata;
  const live = await cluster.read({ kind, namespace, name });
  if (live === undefined) throw new ReplacedError(id);
  if (isEnough) return { live, was: "ours" };
  const ownership = decideOwnership(live, loaded.resource, loaded.set);
  if (ownership.whose === "foreign") throw new NotOwnedError(id, ownership.owner);
  // Return a terminating object as well: the next plan waits for its deletion.
  if (ownership.whose !== "adopt") return { live, was: "ours" };
  const taken = await cluster.takeOverFields(kind, live);
  if (taken === undefined) throw new ReplacedError(id);
  return { live: taken, was: "adopted" };
}
