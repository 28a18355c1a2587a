import { keyOf, type LiveObject, type ObjectKind } from "../../crds/object.ts";
import { idOf, type ObjectId } from "../../synth/manifest.ts";
import { UnsettledError } from "../errors.ts";
import type { Cluster, ObjectStore, Stores } from "../ports.ts";
import { addToOthers } from "./add-to-others.ts";
import { apply } from "./apply.ts";
import type { ObjectAction } from "./apply-result.ts";
import { confirmWanted } from "./confirm-wanted.ts";
import type { PruneDecision } from "./decide-prune.ts";
import { describePlan } from "./describe-plan.ts";
import type { DesiredSet, OwnedObject } from "./desired-set.ts";
import { isSent } from "./explain-run.ts";
import type { ShapeOf } from "./field-shape.ts";
import type { LostObjects } from "./lost.ts";
import { type Change, noteResult } from "./note-result.ts";
import { type ApplyOutcome, describeFailure, describeObject, listNames } from "./outcome.ts";
import { type Plan, type PlannedStep, planChanges } from "./plan.ts";
import { explainPostponed } from "./plan-extension.ts";
import { prune } from "./prune.ts";
import { pruneSurplus } from "./prune-surplus.ts";
import type { StepReason } from "./reasons.ts";
import type { Refusals } from "./refusals.ts";
import type { SettledObjects } from "./settled.ts";
import type { Claimed, Subject, Target } from "./subject.ts";

export interface ConvergeOptions {
  /** Uses the operator's own permissions: for the resource itself. */
  readonly cluster: Pick<Cluster, "read">;
  /** Uses the permissions of the resource's account: for its objects. */
  readonly acting: Cluster;
  /** Local copies of related objects, for additions. */
  readonly related?: Stores["related"];
  readonly settled: SettledObjects;
  readonly shapeOf: ShapeOf;
  readonly refusals: Refusals;
  readonly lost: LostObjects;
  /** Called with an action and its number of objects, for metrics. */
  readonly count: (did: ObjectAction, objects: number) => void;
}

export interface Converged {
  readonly outcome: ApplyOutcome;
  /** The target of the last pass. Undefined: its desired set could not be computed. */
  readonly target: Target | undefined;
  readonly plan: Plan | undefined;
  /** Undefined: pruning was not decided. */
  readonly pruned: PruneDecision | undefined;
  readonly changes: readonly Change[];
  /** The steps that were sent in all passes, and the reasons. */
  readonly steps: readonly StepReason[];
  /** Additions to objects of other owners that were not sent, and the reasons. */
  readonly held?: readonly StepReason[];
  /** The failure that `outcome` describes. */
  readonly error: unknown;
  /** All failures of the same stage, or of the additions. Default: none. */
  readonly errors?: readonly unknown[];
}

/** Maximum number of passes that find or replace objects. More of them mean that another client reverts our changes. */
const mostFinds = 4;
/** A dependency chain takes a pass for each of its links; no plan needs more. */
const mostPasses = 1_000;

interface Run {
  readonly subject: Subject;
  readonly claimed: Claimed;
  readonly changes: Change[];
  readonly steps: StepReason[];
  /** Additions that were not sent. Undefined: the run ended before them. */
  held: StepReason[] | undefined;
  /** Names of the objects that the last pass found or replaced. */
  found: readonly string[];
  /** The failures of a stage, or of the additions, in apply order. */
  readonly errors: unknown[];
  readonly options: ConvergeOptions;
}

/** Plans, applies, prunes and adds, for one resource. A failure is returned as a value; the caller reports or throws it. */
export async function converge(subject: Subject, options: ConvergeOptions): Promise<Converged> {
  const claimed: Claimed = new Map(subject.claimed);
  const changes: Change[] = [];
  const steps: StepReason[] = [];
  const run: Run = { subject, claimed, changes, steps, held: undefined, found: [], errors: [], options };
  let target: Target | undefined;
  let plan: Plan | undefined;
  const ended = { pruned: undefined, changes, steps, errors: run.errors, error: undefined } as const;
  try {
    for (let finds = 0, passes = 0; finds < mostFinds && passes < mostPasses; passes++) {
      const next = subject.desire(claimed);
      if (next === undefined) break;
      target = next;
      plan = planFor(target, run);
      await subject.record(plan, target);
      steps.push(...plan.reasons.filter(isSent));
      const did = await carryOut(plan, target, run);
      if (did === "found") finds++;
      if (did !== "done") continue;
      subject.onSettled?.();
      const finished = await finish(plan, target, run);
      return { ...ended, ...finished, held: explainHeld(target, run), target, plan };
    }
    const error = new UnsettledError(listNames(run.found) || undefined);
    return { ...ended, outcome: { state: "retry" }, held: explainHeld(target, run), target, plan, error };
  } catch (error) {
    const explained = subject.onFailure?.(error);
    const { namespace } = target?.resource.metadata ?? {};
    const outcome =
      explained ?? describeFailure(error, subject.title, { namespace, originOf: subject.originOf });
    const held = explainHeld(target, run);
    const isWaiting = explained?.state === "waiting";
    return { ...ended, outcome, held, target, plan, error: isWaiting ? undefined : error };
  }
}

function planFor({ resource, desired }: Target, { subject, claimed, options }: Run): Plan {
  return planChanges({
    resource,
    desired,
    observed: subject.observed(claimed),
    watch: (kind) => subject.watch(kind),
    isSettled: (live) => options.settled.has(live),
    shapeOf: options.shapeOf,
    assess: (live) => subject.assess(live),
    finished: subject.finished?.(),
    ...(subject.askKind && { askKind: subject.askKind }),
  });
}

/** @returns Whether the run is done, a new plan may have more steps, or objects were found that change the plan. */
async function carryOut(plan: Plan, target: Target, run: Run): Promise<"done" | "more" | "found"> {
  const { subject, claimed, changes, errors, options } = run;
  const { acting: cluster, settled, shapeOf, lost, count } = options;
  const { resource, desired } = target;
  const isLost = ({ live, manifest }: PlannedStep): boolean =>
    live === undefined && lost.has(subject.key, idOf(manifest));
  if (plan.leftBehind.length > 0 || plan.apply.some((steps) => steps.some(isLost)))
    await confirmWanted(resource, { kind: subject.kind, cluster: options.cluster });
  const inTheWay = await removeInTheWay(plan, desired, run);

  const ensured = new Set(desired.objects.flatMap(({ id, isEnsured }) => (isEnsured ? id : [])));
  const results = await apply(plan.apply, {
    ...options,
    cluster,
    storeOf: storesOf(subject),
    loaded: { resource, set: desired.set },
    isEnough: ({ manifest }) => ensured.has(idOf(manifest)),
    onResult: (result) => {
      subject.onApplied?.(result);
      noteResult(result, { claimed, changes, settled, shapeOf, whose: subject.whose });
    },
    onFailed: (error) => void errors.push(error),
  });
  count("kept", plan.keep.length);
  const freed = inTheWay.filter((object) => !isStillThere(object, subject)).map(({ live }) => live);
  const found = results.flatMap(({ was, step }) => (was === "applied" ? [] : [step.manifest]));
  run.found = [...freed, ...found].map(describeObject);
  if (run.found.length > 0) return "found";
  return plan.mayUnblockMore ? "more" : "done";
}

/** Deletes the objects that must be replaced. @returns Those objects. */
async function removeInTheWay(
  plan: Plan,
  { objects }: DesiredSet,
  { subject, claimed, changes, options }: Run,
): Promise<readonly OwnedObject[]> {
  if (plan.replace.length + plan.leftBehind.length === 0) return [];
  const kinds = new Map(objects.map(({ id, kind }) => [id, kind]));
  const owned = (live: LiveObject): OwnedObject => ({
    id: idOf(live),
    kind: kinds.get(idOf(live)) as ObjectKind,
    live,
  });
  const [replaced, leftBehind] = [plan.replace.map(owned), plan.leftBehind.map(owned)];
  const parts = { cluster: options.acting, storeOf: storesOf(subject), lost: options.lost, isReplaced: true };
  await prune(replaced, parts);
  await prune(leftBehind, { ...parts, isUnchanged: true });
  for (const { id } of [...replaced, ...leftBehind]) claimed.delete(id);
  for (const { live } of replaced)
    changes.push({ done: "Replaced", live, why: "its template cannot be edited" });
  return [...replaced, ...leftBehind];
}

function isStillThere({ kind, live }: OwnedObject, subject: Subject): boolean {
  return subject.watch(kind).store.get(keyOf(live))?.metadata.uid === live.metadata.uid;
}

function isMissing(id: ObjectId, { objects }: DesiredSet, subject: Subject): boolean {
  const wanted = objects.find((object) => object.id === id);
  if (wanted?.kind === undefined) return false;
  return subject.watch(wanted.kind).store.get(keyOf(wanted.manifest)) === undefined;
}

function storesOf(subject: Subject): (kind: ObjectKind) => ObjectStore {
  return (kind) => subject.watch(kind).store;
}

/** Prunes, and adds to objects of other owners, if all objects are applied. */
async function finish(plan: Plan, target: Target, run: Run): Promise<Pick<Converged, "outcome" | "pruned">> {
  const { subject, claimed, changes, options } = run;
  const { acting, refusals, lost } = options;
  const { set } = target.desired;
  const surplus = plan.isComplete ? subject.surplus(target, claimed) : undefined;
  const pruned =
    surplus &&
    (await pruneSurplus(surplus.input, {
      ...options,
      cluster: acting,
      storeOf: storesOf(subject),
      changes,
      why: surplus.why,
      confirm: () => confirmWanted(target.resource, { kind: subject.kind, cluster: options.cluster }),
    }));
  const described = subject.describeEnd?.(plan) ?? describePlan({ plan, prune: pruned, set });
  if (!plan.isComplete) return { outcome: described, pruned };
  // Add to objects of other owners last, so that a failure does not delay the resource's own objects.
  const added = await addAll(target, run);
  refusals.forget(subject.key);
  lost.settle(subject.key, (id) => isMissing(id, target.desired, subject));
  const outcome =
    described.state === "applied" && added > 0 ? { ...described, count: described.count + added } : described;
  await subject.conclude?.({ outcome, pruned });
  return { outcome, pruned };
}

/** Adds to objects of other owners, if the target has additions. */
async function addAll(target: Target, run: Run): Promise<number> {
  const { related, acting: cluster } = run.options;
  const { additions = [], removals = [] } = target.desired;
  if (additions.length + removals.length === 0 || related === undefined) return 0;
  run.held = [];
  const { changes, steps, held, errors } = run;
  return await addToOthers(target, { ...run.options, related, cluster, changes, steps, held, errors });
}

/** Why additions were not sent in this run. */
function explainHeld(target: Target | undefined, { held, options }: Run): readonly StepReason[] {
  const { related, settled, shapeOf } = options;
  if (held !== undefined || target === undefined || related === undefined) return held ?? [];
  return explainPostponed({ desired: target.desired, related, settled, shapeOf });
}
