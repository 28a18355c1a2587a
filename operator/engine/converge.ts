import { type CustomResource, keyOf, type LiveObject } from "../../crds/object.ts";
import { idOf, type ManifestSet, type ObjectId } from "../../synth/manifest.ts";
import { SynthesisError } from "../../synth/synthesis-error.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import type { Synthesizer } from "../../synth/synthesizer.ts";
import { ReplacedError, SpecInvalidError, UnsettledError } from "../errors.ts";
import type { Cluster, Stores } from "../ports.ts";
import { add } from "./add.ts";
import { apply, liveOf } from "./apply.ts";
import type { ObjectAction } from "./apply-result.ts";
import { holdDeletion } from "./finalize.ts";
import { type Loaded, load } from "./load.ts";
import type { LostObjects } from "./lost.ts";
import { type Change, noteResult } from "./note-result.ts";
import { type ApplyOutcome, describeFailure, describeWaiting } from "./outcome.ts";
import { type Plan, planChanges } from "./plan.ts";
import { prune } from "./prune.ts";
import type { Refusals } from "./refusals.ts";
import type { SettledObjects } from "./settled.ts";

export interface ConvergeOptions {
  readonly kind: SynthesizableKind;
  readonly stores: Stores;
  readonly cluster: Cluster;
  readonly synthesize: Synthesizer;
  readonly settled: SettledObjects;
  readonly refusals: Refusals;
  readonly lost: LostObjects;
  /** Told what was done to how many objects, for metrics. */
  readonly count: (did: ObjectAction, objects: number) => void;
}

export interface Converged {
  readonly outcome: ApplyOutcome;
  /** Of the resource as it was synthesized: it may have been edited since. */
  readonly generation: number | undefined;
  /** Undefined: the resource could not be synthesized. */
  readonly desired: ManifestSet | undefined;
  readonly changes: readonly Change[];
  /** What `outcome` was made of, where it was a failure. */
  readonly error: unknown;
}

/** Adopting and replacing change what is planned; more passes than these mean that somebody works against us. */
const longestRun = 4;

/** Synthesizes, plans, applies, prunes and adds, for one resource. Failures are values: the caller reports or throws them. */
export async function converge({ resource }: Loaded, options: ConvergeOptions): Promise<Converged> {
  const changes: Change[] = [];
  const claimed = new Map<ObjectId, LiveObject>();
  let desired: ManifestSet | undefined;
  let { generation } = resource.metadata;
  try {
    for (let pass = 0; pass < longestRun; pass++) {
      const loaded = load(keyOf(resource), options.kind, options.stores, claimed);
      if (loaded === undefined) break;
      generation = loaded.resource.metadata.generation;
      desired = synthesizeOrRefuse(loaded, options);
      await holdDeletion(loaded, desired, options);
      const plan = planFor({ loaded, claimed }, desired, options);
      const { additions } = desired;
      const settledAt = await carryOut(plan, { loaded, additions, claimed, changes }, options);
      if (settledAt !== undefined)
        return { outcome: settledAt, generation, desired, changes, error: undefined };
    }
    return {
      outcome: { state: "retry" },
      generation,
      desired,
      changes,
      error: new UnsettledError(),
    };
  } catch (error) {
    return {
      outcome: describeFailure(error, titleOf(resource), resource.metadata),
      generation,
      desired,
      changes,
      error,
    };
  }
}

function synthesizeOrRefuse(
  { resource, observed }: Loaded,
  { kind, synthesize }: ConvergeOptions,
): ManifestSet {
  try {
    return synthesize(kind, resource, observed);
  } catch (error) {
    if (error instanceof SynthesisError) throw new SpecInvalidError(error.message, { cause: error });
    throw error;
  }
}

function planFor(
  { loaded: { resource, set, owned }, claimed }: Pick<Run, "loaded" | "claimed">,
  desired: ManifestSet,
  { kind, stores, settled }: ConvergeOptions,
): Plan {
  const byId = new Map(desired.manifests.map((manifest) => [idOf(manifest), manifest]));
  return planChanges({
    resource,
    set,
    desired: desired.manifests,
    observed: (id) => {
      const manifest = byId.get(id);
      // A store refuses what is older than its watch: there it looks like an object that was deleted since.
      return manifest === undefined ? undefined : (liveOf(manifest, kind, stores) ?? claimed.get(id));
    },
    owned,
    isSettled: (live) => settled.has(live),
  });
}

interface Run {
  readonly loaded: Loaded;
  readonly additions: ManifestSet["additions"];
  /** Objects that a read found where we wanted to make ours; no store need hold them. */
  readonly claimed: Map<ObjectId, LiveObject>;
  readonly changes: Change[];
}

/** @returns How it ended; undefined: something is different now, so plan again. */
async function carryOut(plan: Plan, run: Run, options: ConvergeOptions): Promise<ApplyOutcome | undefined> {
  const { loaded, additions, claimed, changes } = run;
  const { settled, refusals, lost } = options;
  const key = keyOf(loaded.resource);
  const makesLost = plan.apply
    .flat()
    .some(({ live, manifest }) => live === undefined && lost.has(key, idOf(manifest)));
  if (makesLost || plan.leftBehind.length > 0) await confirmWanted(loaded.resource, options);
  await prune(plan.replace, { ...options, isReplaced: true });
  await prune(plan.leftBehind, { ...options, isReplaced: true, isUnchanged: true });
  const inTheWay = [...plan.replace, ...plan.leftBehind];
  for (const live of inTheWay) claimed.delete(idOf(live));
  for (const live of plan.replace)
    changes.push({ done: "Replaced", live, why: "its template cannot be edited" });

  const results = await apply(plan.apply, { ...options, loaded });
  options.count("kept", plan.keep.length);
  for (const result of results) noteResult(result, { ...run, settled, whose: "this resource's" });

  const leaving = inTheWay.filter((live) => isStillThere(live, options));
  if (results.some(({ was }) => was !== "applied")) return undefined;
  if (inTheWay.length > leaving.length) return undefined;
  const waiting = [...plan.waiting, ...leaving];
  if (waiting.length > 0) return describeWaiting(waiting, loaded.set);
  await prune(plan.prune, options);
  options.count("pruned", plan.prune.length);
  for (const live of plan.prune) changes.push({ done: "Pruned", live, why: "no longer wanted" });
  // Last: what others have may fail without holding up what is the resource's own.
  const added = await add(additions, {
    ...options,
    loaded,
    onAdded: (live, { subresource }) =>
      changes.push({ done: "Extended", live, why: `added to its ${subresource}` }),
  });
  refusals.forget(key);
  lost.forget(key);
  return { state: "applied", count: plan.keep.length + results.length + added };
}

/**
 * Asks whether the resource is still the one that we know, by one read. Garbage collection takes the objects of a deleted
 * one, and its watch may tell of them first: made anew, a Job would run once more for nobody. And what seems to be left
 * behind by a resource before this one may belong to one after it.
 *
 * @throws ReplacedError if it is not.
 */
async function confirmWanted(resource: CustomResource, { kind, cluster }: ConvergeOptions): Promise<void> {
  const { name, namespace, uid } = resource.metadata;
  const now = await cluster.read({ kind: kind.definition, namespace, name });
  const isWanted = now?.metadata.uid === uid && now.metadata.deletionTimestamp === undefined;
  if (!isWanted) throw new ReplacedError(idOf(resource));
}

function isStillThere(live: LiveObject, { kind, stores }: ConvergeOptions): boolean {
  return liveOf(live, kind, stores)?.metadata.uid === live.metadata.uid;
}

/** `Echo/hello`: the resource as messages for people name it. */
function titleOf({ kind, metadata }: CustomResource): string {
  return `${kind}/${metadata.name}`;
}
