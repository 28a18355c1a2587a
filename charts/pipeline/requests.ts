import { stageDigestOf } from "../../crds/stage-digest.ts";
import type { PromotionView, StageHistory } from "./promotions.ts";
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
