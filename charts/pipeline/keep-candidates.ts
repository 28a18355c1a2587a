import type { ApprovalResource } from "../../crds/approval.ts";
import type { Candidate } from "../../crds/pipeline-status.ts";
import { unprovenStages } from "./order.ts";
import { requestedCommits } from "./requested-candidates.ts";
import type { Stage } from "./shape.ts";
import { historyOf, type PipelineWorld } from "./world.ts";

/** For each stage, the maximum number of candidates kept because it may start them, and of those kept because users approved them. */
const mostPerStage = 10;
/** The CRD limits the list to this length. */
const most = 512;

/**
 * Selects the candidates to keep: those that a stage runs, proves or may still start, those that a user has approved or
 * requests, and the newest. A removed candidate is not added again unless a user requests it. Pure.
 */
export function keepCandidates(world: PipelineWorld, candidates: readonly Candidate[]): readonly Candidate[] {
  const kept = new Set<Candidate>();
  const newest = candidates.at(-1);
  if (newest !== undefined) kept.add(newest);
  const requested = requestedCommits(world);
  for (const candidate of candidates) if (requested.has(candidate.revision)) kept.add(candidate);
  for (const stage of world.stages) {
    const history = historyOf(world, stage);
    const { position } = history;
    const later = candidates.filter(({ number }) => number >= position);
    for (const candidate of candidates)
      if (candidate.revision === history.current?.spec.revision) kept.add(candidate);
    const approved = later.filter((candidate) => isApproved(candidate, stage, world));
    for (const candidate of approved.slice(-mostPerStage)) kept.add(candidate);
    // Without it, older ones that it reverts could start.
    const reverting = candidates[findReverting(candidates, stage, world)];
    if (reverting !== undefined) kept.add(reverting);
    const possible = later.filter((one) => isNews(one, stage, world) && isAvailable(one, stage, world));
    for (const candidate of possible.slice(-mostPerStage)) kept.add(candidate);
  }
  return candidates.filter((candidate) => kept.has(candidate)).slice(-most);
}

/** Whether a candidate has another digest than the target of a stage. */
function isNews(candidate: Candidate, stage: Stage, world: PipelineWorld): boolean {
  const plan = world.planOf(stage, candidate);
  return plan.state !== "known" || plan.digest !== historyOf(world, stage).current?.spec.digest;
}

/** Whether a candidate has passed every earlier stage. Pure. */
export function isAvailable(candidate: Candidate, stage: Stage, world: PipelineWorld): boolean {
  return unprovenStages(candidate, stage, world).length === 0;
}

/**
 * Index of the newest available candidate that does not change the target of a stage; -1: there is none. It reverts the older ones,
 * so a window or an approval that comes later must not start them. Pure.
 */
export function findReverting(candidates: readonly Candidate[], stage: Stage, world: PipelineWorld): number {
  const history = historyOf(world, stage);
  const digest = history.current?.spec.digest;
  if (digest === undefined || history.evidenceOf(digest).state === "Failed") return -1;
  return candidates.findLastIndex(
    (candidate) => !isNews(candidate, stage, world) && isAvailable(candidate, stage, world),
  );
}

function isApproved(candidate: Candidate, stage: Stage, world: PipelineWorld): boolean {
  const { approvals, name } = world;
  const plan = world.planOf(stage, candidate);
  return (
    plan.state === "known" &&
    approvals.some((approval) => {
      const { spec } = approval as ApprovalResource;
      const isOf = spec?.pipeline === name && spec.stage === stage.name && spec.digest === plan.digest;
      return isOf && spec.decision !== "Reject";
    })
  );
}
