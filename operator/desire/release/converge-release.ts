import type { LiveObject } from "../../../crds/object.ts";
import { idOf, type ObjectId } from "../../../synth/manifest.ts";
import { apply, liveOf } from "../../engine/apply.ts";
import type { ObjectAction } from "../../engine/apply-result.ts";
import type { PruneDecision } from "../../engine/decide-prune.ts";
import { describePlan } from "../../engine/describe-plan.ts";
import type { HealthChecks } from "../../engine/health/health-checks.ts";
import { type Inventory, recordedIdsOf } from "../../engine/inventory.ts";
import type { LostObjects } from "../../engine/lost.ts";
import { type Change, noteResult } from "../../engine/note-result.ts";
import { type ApplyOutcome, describeFailure, listNames } from "../../engine/outcome.ts";
import { isDefinition, planRelease, type ReleasePlan } from "../../engine/plan-release.ts";
import { prune } from "../../engine/prune.ts";
import type { Refusals } from "../../engine/refusals.ts";
import type { SettledObjects } from "../../engine/settled.ts";
import { UnsettledError } from "../../errors.ts";
import { explainByDefinition } from "./explain-by-definition.ts";
import type { LoadedRelease } from "./load-release.ts";
import { observe, placesOf } from "./object-places.ts";
import type { KindCatalog, ReleaseCluster } from "./ports.ts";
import { pruneRelease } from "./prune-release.ts";
import { describeSet, recordObjects } from "./record-set.ts";
import { type RecordedKinds, watchRecorded } from "./recorded-kinds.ts";
import type { Desired } from "./release-memory.ts";
import { noteFailure, noteSeen, type TakeInventoryOptions, takeInventory } from "./take-inventory.ts";

export interface ConvergeReleaseOptions extends TakeInventoryOptions {
  /** With the operator's own rights: for the Release itself. */
  readonly cluster: ReleaseCluster;
  /** With the rights that the Release asks for: for its objects. */
  readonly acting: ReleaseCluster;
  readonly catalog: KindCatalog;
  /** A namespace of the cluster, where we may see those. */
  readonly namespaceOf: (name: string) => LiveObject | undefined;
  readonly checks: HealthChecks;
  readonly nowMs: number;
  readonly settled: SettledObjects;
  readonly refusals: Refusals;
  readonly lost: LostObjects;
  readonly count: (did: ObjectAction, objects: number) => void;
}

export interface ConvergedRelease {
  readonly outcome: ApplyOutcome;
  readonly plan: ReleasePlan | undefined;
  /** Undefined: it was not time to prune. */
  readonly pruned: PruneDecision | undefined;
  readonly changes: readonly Change[];
  /** What the Release has now. Undefined: it was not time to prune. */
  readonly inventory: Inventory | undefined;
  /** Objects may still arrive: look again after this many milliseconds. */
  readonly againAfterMs: number | undefined;
  /** Why objects of kinds that the Release once had are not seen, and so not pruned. */
  readonly unseen: readonly string[];
  /** What `outcome` was made of, where it was a failure. */
  readonly error: unknown;
}

/** Finding and replacing objects changes what is planned; more passes than these mean that somebody works against us. */
const mostFinds = 4;
/** A dependency chain takes a pass for each of its links; no plan needs more. */
const mostPasses = 1_000;

/** Plans, applies and prunes what may be by now, for one Release. Failures are values: the caller reports or throws them. */
export async function convergeRelease(
  release: LoadedRelease,
  desired: Desired,
  options: ConvergeReleaseOptions,
): Promise<ConvergedRelease> {
  const changes: Change[] = [];
  const claimed = new Map(release.memory.found);
  const run: Run = { release, desired, claimed, changes };
  let plan: ReleasePlan | undefined;
  try {
    const recorded = watchRecorded(release, options);
    for (let finds = 0, passes = 0; finds < mostFinds && passes < mostPasses; passes++) {
      plan = planFor(run, options);
      const next = await carryOut(plan, run, options);
      if (next === "found") finds++;
      if (next !== "done") continue;
      noteSeen(release, options);
      const pruned =
        plan.isComplete && recorded.areKnown
          ? await pruneRelease(
              { ...run, recorded: idsOf(run, options), observed: observe(run, options) },
              options,
            )
          : undefined;
      const outcome = describeEnd(plan, pruned, { release, recorded });
      if (plan.isComplete) forgetFailures(release, options);
      const taken = pruned && (await take({ run, pruned, outcome, recorded }, options));
      return { ...nothing, ...taken, outcome, plan, pruned, changes, unseen: recorded.refusals };
    }
    return { ...nothing, outcome: { state: "retry" }, plan, changes, error: new UnsettledError() };
  } catch (error) {
    // Perhaps a namespace that was there is no more.
    release.memory.found.clear();
    noteFailure(release, options);
    const { metadata } = release.resource;
    const unserved = explainByDefinition(error, options.catalog);
    const outcome = unserved ?? describeFailure(error, `Release/${metadata.name}`, metadata);
    return { ...nothing, outcome, plan, changes, error: unserved?.state === "waiting" ? undefined : error };
  }
}

const nothing = {
  pruned: undefined,
  inventory: undefined,
  againAfterMs: undefined,
  error: undefined,
  unseen: [],
} as const;

interface Run {
  readonly release: LoadedRelease;
  readonly desired: Desired;
  /** Objects that a read found where we wanted to make ours; no store need hold them. */
  readonly claimed: Map<string, LiveObject>;
  readonly changes: Change[];
}

function planFor(run: Run, options: ConvergeReleaseOptions): ReleasePlan {
  const { release, desired } = run;
  const { stores, catalog, settled, checks, nowMs } = options;
  const { key, resource } = release;
  return planRelease({
    resource,
    prepared: desired.prepared,
    observed: observe(run, options),
    watch: (kind) => stores.watch(kind, key),
    isSettled: (live) => settled.has(live),
    finished: resource.status?.inventory?.finished,
    assess: (live) => checks.assess(live, resource.spec.healthChecks, { nowMs }),
    askKind: ({ manifest: { apiVersion, kind } }) => catalog.ask(apiVersion, kind, key),
  });
}

/** @returns Whether that was all that can be done now, or a plan made anew would find more to do. */
async function carryOut(
  plan: ReleasePlan,
  run: Run,
  options: ConvergeReleaseOptions,
): Promise<"done" | "more" | "found"> {
  const { release, desired, changes } = run;
  const { settled, acting: cluster, stores, catalog } = options;
  await recordObjects(release, { plan, prepared: desired.prepared }, options);
  const kinds = desired.prepared.objects.flatMap(({ kind }) => kind ?? []);
  const parts = { ...placesOf(kinds, stores), cluster, lost: options.lost };
  await prune(plan.replace, { ...parts, isReplaced: true });
  for (const live of plan.replace)
    changes.push({ done: "Replaced", live, why: "its template cannot be edited" });
  const ensured = new Set(desired.prepared.objects.filter(({ isEnsured }) => isEnsured).map(({ id }) => id));
  const results = await apply(plan.apply, {
    ...options,
    ...parts,
    loaded: release,
    isEnough: ({ manifest }) => ensured.has(idOf(manifest)),
  });
  options.count("kept", plan.keep.length);
  // Own writes are silent, and what comes next may be of a kind that is new by it. The watch may know more than the answer.
  for (const { live } of results)
    if (isDefinition(idOf(live))) catalog.learn(liveOf(live, parts.kind, parts.stores) ?? live);
  for (const result of results) noteResult(result, { ...run, settled, whose: "this Release's" });
  for (const { live } of results) if (ensured.has(idOf(live))) release.memory.found.set(idOf(live), live);
  const isFreed = plan.replace.some((live) => liveOf(live, parts.kind, parts.stores) === undefined);
  if (isFreed || results.some(({ was }) => was !== "applied")) return "found";
  return plan.isWorthAnotherPass ? "more" : "done";
}

function describeEnd(
  plan: ReleasePlan,
  prune: PruneDecision | undefined,
  { release, recorded }: { readonly release: LoadedRelease; readonly recorded: RecordedKinds },
): ApplyOutcome {
  if (!plan.isComplete || recorded.areKnown) return describePlan({ plan, prune, set: release.set });
  const { refusals } = recorded;
  if (refusals.length === 0) return { state: "retry" };
  const message = `Cannot see all of its objects: ${listNames(refusals)}`;
  return { state: "waiting", message, isWatched: true };
}

function forgetFailures({ key }: LoadedRelease, { refusals, lost }: ConvergeReleaseOptions): void {
  refusals.forget(key);
  lost.forget(key);
}

/** What the Release has recorded by now. */
function idsOf(
  { release: { key, resource } }: Run,
  { releases }: ConvergeReleaseOptions,
): ReadonlySet<ObjectId> {
  return recordedIdsOf(releases.get(key) ?? resource);
}

/** Takes stock, and describes the set to other tools as it is now. */
async function take(
  { run: { release, desired }, pruned, outcome, recorded }: Ending,
  options: ConvergeReleaseOptions,
): Promise<Pick<ConvergedRelease, "inventory" | "againAfterMs">> {
  const isApplied = outcome.state === "applied";
  const { unseen } = recorded;
  const taken = takeInventory({ release, desired, pruned, isApplied, unseen }, options);
  const wanted = desired.prepared.objects.map(({ id }) => id);
  await describeSet(release, [...taken.inventory.entries, ...wanted], options);
  return taken;
}

interface Ending {
  readonly run: Run;
  readonly pruned: PruneDecision;
  readonly outcome: ApplyOutcome;
  readonly recorded: RecordedKinds;
}
