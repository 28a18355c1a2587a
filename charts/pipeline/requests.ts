import type { Bypass } from "../../crds/promotion.ts";
import { shortId } from "../../crds/short-id.ts";
import { stageDigestOf } from "../../crds/stage-digest.ts";
import { closedByDifferences } from "./differences.ts";
import { closedByOrder } from "./gates.ts";
import { isOpen, type PromotionView } from "./promotions.ts";
import { agreedRelease } from "./release-problems.ts";
import { later } from "./release-state.ts";
import { cannotPlanNow } from "./requested-candidates.ts";
import type { Stage } from "./shape.ts";
import { type At, isOutdated } from "./startable.ts";
import { candidateOf, type StageTarget } from "./world.ts";

/** The target that a user's request sets for a stage, or why it is unknown. */
export type ResolvedRequest =
  | { readonly target: StageTarget & { readonly mutable?: readonly string[] } }
  | { readonly problem: string };

/** How long a request waits for plans of a commit that was removed; then the recorded digests count. */
const planPatience = "1m";

/**
 * The request that a stage is to start: the open one, or that of the current Promotion if that can never pass because the Releases
 * now render its commit differently. A request to an earlier name of the stage is not started again. Pure.
 */
export function requestToStart({ stage, world, history }: At): PromotionView | undefined {
  const { openRequest, current, requests } = history;
  if (openRequest !== undefined || current === undefined) return openRequest;
  if (!isOpen(current) || !isOutdated(current, stage, world)) return undefined;
  return requests.find(({ uid, spec }) => uid === current.spec.request?.uid && spec.stage === stage.name);
}

/**
 * Finds the digests of the requested commit in the candidates, in the earlier Promotions of the stage, or in the request
 * itself. Pure.
 */
export function resolveRequest(request: PromotionView, at: At): ResolvedRequest {
  const { name, spec } = request;
  const { revision } = spec;
  const missing = missingPlans(revision, at);
  const target = mayWait(request, missing, at) ? undefined : findTarget(spec, at);
  const asks = `Promotion "${name}" requests`;
  if (target === undefined && missing.length > 0)
    return {
      problem: `${asks} ${shortId(revision)}, which is not planned again yet by ${missing.map((key) => `Release "${key}"`).join(", ")}`,
    };
  if (target === undefined)
    return {
      problem: `${asks} ${shortId(revision)}, which is not a candidate and has not run in this stage: its digests are not known; delete it to continue`,
    };
  if (spec.digest !== undefined && spec.digest !== target.digest)
    return {
      problem:
        `${asks} digest ${spec.digest}, but ${shortId(revision)} has digest ${target.digest} now: ` +
        "the inputs or the operator have changed; delete it to continue. " +
        `To deploy the commit as it renders now: ${commandToPromote(request, bypassFor(target, at), at)}`,
    };
  return { target };
}

/** The gates of earlier stages that are closed for a target. A digest that has passed in this stage before needs none of them. Pure. */
function bypassFor({ revision, digest }: StageTarget, at: At): readonly Bypass[] {
  if (hasPassedHere(digest, at)) return [];
  return [
    ...(closedByOrder(revision, at) === undefined ? [] : ["Order" as const]),
    ...(closedByDifferences(revision, at) === undefined ? [] : ["Differences" as const]),
  ];
}

/** The command that requests the commit of a request as it renders now, without gates that are closed for it. Pure. */
export function commandToPromote(
  { spec }: PromotionView,
  closed: readonly Bypass[],
  { stage, world }: Pick<At, "stage" | "world">,
): string {
  const bypass = [...new Set([...(spec.bypass ?? []), ...closed])];
  return [
    `fairlead promote ${world.namespace}/${world.name} ${stage.name} ${spec.revision}`,
    ...(spec.hold === true ? ["--hold"] : []),
    ...(bypass.length > 0 ? ["--bypass", ...bypass] : []),
    "--reason TEXT",
  ].join(" ");
}

/** Whether a digest has passed in this stage before. Pure. */
export function hasPassedHere(digest: string, { history }: Pick<At, "history">): boolean {
  return history.started.some(({ spec, passedAt }) => spec.digest === digest && passedAt !== undefined);
}

/** The Releases of a stage that are to plan a candidate which was added again for a request. */
function missingPlans(revision: string, { stage, world }: Pick<At, "stage" | "world">): readonly string[] {
  const candidate = candidateOf(world.record, revision);
  const plan = candidate?.requested === true ? world.planOf(stage, candidate) : undefined;
  return plan?.state === "unknown" ? plan.missing : [];
}

/** Whether a request waits for plans: a rollback does not wait for those that may never come. */
function mayWait({ createdAt }: PromotionView, missing: readonly string[], { stage, world }: At): boolean {
  if (missing.length === 0) return false;
  if (missing.some((key) => cannotPlanNow(agreedRelease(key, { stage, world })))) return false;
  return !world.clock.reached(later(createdAt, planPatience));
}

function findTarget(
  { revision, releases }: PromotionView["spec"],
  { stage, world, history }: At,
): (StageTarget & { readonly mutable?: readonly string[] }) | undefined {
  const candidate = candidateOf(world.record, revision);
  const plan = candidate === undefined ? undefined : world.planOf(stage, candidate);
  if (plan?.state === "known") return plan;
  const earlier = history.started.findLast(({ spec }) => spec.revision === revision)?.spec.releases;
  for (const one of [earlier, releases]) {
    if (one !== undefined && isWhole(one, stage))
      return { revision, digest: stageDigestOf(one), releases: one };
  }
  return undefined;
}

/** Whether digests are those of the current Releases of a stage. */
function isWhole(releases: StageTarget["releases"], { keys }: Stage): boolean {
  return (
    releases.length > 0 &&
    releases.length === keys.length &&
    releases.every(({ namespace, name }) => keys.includes(`${namespace}/${name}`))
  );
}
