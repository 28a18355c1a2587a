import { type CustomResource, keyOf, type LiveObject } from "../../crds/object.ts";
import { idOf, type ManifestSet, type ObjectId } from "../../synth/manifest.ts";
import { SynthesisError } from "../../synth/synthesis-error.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import type { Synthesizer } from "../../synth/synthesizer.ts";
import { findDrift } from "../core/covers.ts";
import { type ApplyOutcome, describeFailure, describeWaiting } from "../core/outcome.ts";
import { type ApplyStep, type Plan, planChanges } from "../core/plan.ts";
import { SpecInvalidError } from "../errors.ts";
import type { Cluster, Stores } from "../ports.ts";
import { apply, liveOf } from "./apply.ts";
import { holdDeletion } from "./finalize.ts";
import { type Loaded, load } from "./load.ts";
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
  /** Told what was done to how many objects, for metrics. */
  readonly count: (did: "applied" | "kept" | "pruned", objects: number) => void;
}

/** Something worth an event: what was done to which object, and why. */
export interface Change {
  readonly done: "Adopted" | "Replaced" | "Restored";
  readonly live: LiveObject;
  readonly why: string;
}

export interface Converged {
  readonly outcome: ApplyOutcome;
  /** Undefined: the resource could not be synthesized. */
  readonly desired: ManifestSet | undefined;
  readonly changes: readonly Change[];
  /** What `outcome` was made of, where it was a failure. */
  readonly error: unknown;
}

/** Adopting and replacing change what is planned; more passes than these mean that somebody works against us. */
const longestRun = 4;

/** Synthesizes, plans, applies and prunes one resource. Failures are values: the caller reports or throws them. */
export async function converge({ resource }: Loaded, options: ConvergeOptions): Promise<Converged> {
  const changes: Change[] = [];
  const claimed = new Map<ObjectId, LiveObject>();
  let desired: ManifestSet | undefined;
  try {
    for (let pass = 0; pass < longestRun; pass++) {
      const loaded = load(keyOf(resource), options.kind, options.stores, claimed);
      if (loaded === undefined) break;
      desired = synthesizeOrRefuse(loaded, options);
      await holdDeletion(loaded, desired, options);
      const plan = planFor({ loaded, claimed }, desired, options);
      const settledAt = await carryOut(plan, { loaded, claimed, changes }, options);
      if (settledAt !== undefined) return { outcome: settledAt, desired, changes, error: undefined };
    }
    return {
      outcome: { state: "retry" },
      desired,
      changes,
      error: new Error("Cannot settle: objects keep changing"),
    };
  } catch (error) {
    return { outcome: describeFailure(error, titleOf(resource)), desired, changes, error };
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
  /** Objects that a read found where we wanted to make ours; no store need hold them. */
  readonly claimed: Map<ObjectId, LiveObject>;
  readonly changes: Change[];
}

/** @returns How it ended; undefined: something is different now, so plan again. */
async function carryOut(plan: Plan, run: Run, options: ConvergeOptions): Promise<ApplyOutcome | undefined> {
  const { loaded, claimed, changes } = run;
  const { settled, refusals } = options;
  await prune(plan.replace, options);
  for (const live of plan.replace)
    changes.push({ done: "Replaced", live, why: "its template cannot be edited" });

  const results = await apply(plan.apply, { ...options, loaded });
  options.count("kept", plan.keep.length);
  options.count("applied", results.filter(({ was }) => was === "applied").length);
  for (const { step, live, was } of results) {
    if (was === "applied") {
      claimed.delete(idOf(live));
      // What the answer still lacks, another apply would not bring either.
      if (findDrift(step.manifest, live) !== undefined) settled.remember(live);
      if (isRepair(step)) changes.push({ done: "Restored", live, why: `${step.because} was changed` });
    } else {
      claimed.set(idOf(live), live);
      if (was === "adopted")
        changes.push({ done: "Adopted", live, why: "it was there, and is meant to be this resource's" });
    }
  }

  const leaving = plan.replace.filter((live) => isStillThere(live, options));
  if (results.some(({ was }) => was !== "applied")) return undefined;
  if (plan.replace.length > leaving.length) return undefined;
  const waiting = [...plan.waiting, ...leaving];
  if (waiting.length > 0) return describeWaiting(waiting, loaded.set);
  await prune(plan.prune, options);
  refusals.forget(keyOf(loaded.resource));
  options.count("pruned", plan.prune.length);
  return { state: "applied", count: plan.keep.length + results.length };
}

/** Applied because somebody changed the live object, not because we want something else. */
function isRepair({ live, because }: ApplyStep): boolean {
  return live !== undefined && !["digest", "foreign", "adopt"].includes(because);
}

function isStillThere(live: LiveObject, { kind, stores }: ConvergeOptions): boolean {
  return liveOf(live, kind, stores)?.metadata.uid === live.metadata.uid;
}

/** `Echo/hello`: the resource as messages for people name it. */
function titleOf({ kind, metadata }: CustomResource): string {
  return `${kind}/${metadata.name}`;
}
