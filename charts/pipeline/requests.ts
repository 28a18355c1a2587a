import { stageDigestOf } from "../../crds/stage-digest.ts";
import type { PromotionView, StageHistory } from "./promotions.ts";
import { agreedRelease } from "./release-problems.ts";
import { cannotPlanNow } from "./requested-candidates.ts";
import type { Stage } from "./shape.ts";
import { candidateOf, type PipelineWorld, planOf, type StageTarget, shortId } from "./world.ts";

/** The target that a user's request sets for a stage, or why it is unknown. */
export type ResolvedRequest =
  | { readonly target: StageTarget & { readonly mutable?: readonly string[] } }
  | { readonly problem: string };

/**
 * Finds the digests of the requested commit in the candidates, in the earlier Promotions of the stage, or in the request
 * itself. Pure.
 */
export function resolveRequest(
  { name, spec }: PromotionView,
  {
    stage,
    world,
    history,
  }: { readonly stage: Stage; readonly world: PipelineWorld; readonly history: StageHistory },
): ResolvedRequest {
  const { revision } = spec;
  const missing = plansToCome(revision, { stage, world });
  if (missing.length > 0)
    return {
      problem: `Promotion "${name}" requests ${shortId(revision)}, which is not planned again yet by ${missing.map((key) => `Release "${key}"`).join(", ")}`,
    };
  const target = findTarget(spec, { stage, world, history });
  if (target === undefined)
    return {
      problem: `Promotion "${name}" requests ${shortId(revision)}, which is not a candidate and has not run in this stage: its digests are not known; delete it to continue`,
    };
  if (spec.digest !== undefined && spec.digest !== target.digest)
    return {
      problem:
        `Promotion "${name}" requests digest ${spec.digest}, but ${shortId(revision)} has digest ${target.digest} now: ` +
        "the inputs or the operator have changed; delete it to continue. " +
        "To deploy the commit as it renders now, promote it without a digest",
    };
  return { target };
}

/** The Releases of a stage that are to plan a candidate which was added again; none if one of them cannot plan now. */
function plansToCome(
  revision: string,
  { stage, world }: { readonly stage: Stage; readonly world: PipelineWorld },
): readonly string[] {
  const candidate = candidateOf(world.record, revision);
  const plan = candidate?.requested === true ? planOf(stage, candidate) : undefined;
  if (plan?.state !== "unknown") return [];
  // Without a plan, what the stage ran before is the only known target: a rollback does not wait for one that may never come.
  return plan.missing.some((key) => cannotPlanNow(agreedRelease(key, { stage, world }))) ? [] : plan.missing;
}

function findTarget(
  { revision, releases }: PromotionView["spec"],
  {
    stage,
    world,
    history,
  }: { readonly stage: Stage; readonly world: PipelineWorld; readonly history: StageHistory },
): (StageTarget & { readonly mutable?: readonly string[] }) | undefined {
  const candidate = candidateOf(world.record, revision);
  const plan = candidate === undefined ? undefined : planOf(stage, candidate);
  if (plan?.state === "known") return plan;
  const earlier = history.started.findLast(({ spec }) => spec.revision === revision)?.spec.releases;
  for (const one of [earlier, releases]) {
    const isWhole =
      one !== undefined &&
      one.length === stage.keys.length &&
      one.every(({ namespace, name }) => stage.keys.includes(`${namespace}/${name}`));
    if (isWhole && one.length > 0) return { revision, digest: stageDigestOf(one), releases: one };
  }
  return undefined;
}
