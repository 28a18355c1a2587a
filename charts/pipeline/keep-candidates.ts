import type { ApprovalResource } from "../../crds/approval.ts";
import type { Candidate } from "../../crds/pipeline-status.ts";
import { unprovenStages } from "./order.ts";
import type { StageHistory } from "./promotions.ts";
import { requestedCommits } from "./requested-candidates.ts";
import type { Stage } from "./shape.ts";
import { candidateOf, historyOf, type PipelineWorld } from "./world.ts";

/** For each stage, the maximum number of candidates kept because it may start them, and of those kept because users approved them. */
const mostPerStage = 10;

/** A stage, and the input of the decision. */
interface At {
  readonly stage: Stage;
  readonly history: StageHistory;
  readonly world: PipelineWorld;
}

export interface KeptCandidates {
  readonly kept: readonly Candidate[];
  /** Those of them that are not removed because of their size. */
  readonly needed: ReadonlySet<Candidate>;
}

/**
 * Selects the candidates to keep: those that a stage runs, proves or may still start, those that a user has approved or requested, the
 * newest, and for each stage the newest that reverts older ones. All of these are needed, except those that a stage may start and that
 * are older than its next one. A removed candidate is not added again unless a user requests it. Pure.
 */
export function keepCandidates(world: PipelineWorld, candidates: readonly Candidate[]): KeptCandidates {
  const kept = new Set<Candidate>();
  const needed = new Set<Candidate>(candidates.slice(-1));
  const requested = requestedCommits(world);
  for (const candidate of candidates) if (requested.has(candidate.revision)) needed.add(candidate);
  for (const stage of world.stages) {
    const history = historyOf(world, stage);
    const { position, current } = history;
    for (const candidate of candidates)
      if (candidate.revision === current?.spec.revision) needed.add(candidate);
    const later = candidates.filter(({ number }) => number >= position);
    const approved = later.filter((one) => hasApproval(one, { stage, world, isRejection: false }));
    for (const candidate of approved.slice(-mostPerStage)) needed.add(candidate);
    // Without it, older ones that it reverts could start.
    const reverting = candidates[findReverting(candidates, stage, world)];
    if (reverting !== undefined) needed.add(reverting);
    const possible = later.filter((one) => isNews(one, stage, world) && isAvailable(one, stage, world));
    for (const candidate of possible.slice(-mostPerStage)) kept.add(candidate);
    const next = nextOf(possible, { stage, history, world });
    if (next !== undefined) needed.add(next);
  }
  return { kept: candidates.filter((candidate) => kept.has(candidate) || needed.has(candidate)), needed };
}

/** The candidate that the stage takes next: the newest that has not failed there, and that no user has rejected. */
function nextOf(
  possible: readonly Candidate[],
  { stage, history, world }: Pick<At, "stage" | "history" | "world">,
): Candidate | undefined {
  return possible.findLast((candidate) => {
    const plan = world.planOf(stage, candidate);
    if (plan.state !== "known" || history.evidenceOf(plan.digest).state === "Failed") return false;
    return !hasApproval(candidate, { stage, world, isRejection: true });
  });
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
 * Index of the newest candidate that does not change the target of a stage, and that the earlier stages have passed; -1: there is none.
 * It reverts the older ones, so a window or an approval that comes later must not start them. Pure.
 */
export function findReverting(candidates: readonly Candidate[], stage: Stage, world: PipelineWorld): number {
  const history = historyOf(world, stage);
  const { current } = history;
  if (current === undefined || history.evidenceOf(current.spec.digest).state === "Failed") return -1;
  // If the Releases render the target differently now, the plans of some candidates are newer than that, and others are not.
  const targets = new Set([current.spec.digest, digestNow(current.spec.revision, stage, world)]);
  return candidates.findLastIndex((candidate) => {
    const plan = world.planOf(stage, candidate);
    return plan.state === "known" && targets.has(plan.digest) && wasAvailable(candidate, stage, world);
  });
}

/** The digest of a commit as planned last; undefined: not known. */
function digestNow(revision: string, stage: Stage, world: PipelineWorld): string | undefined {
  const candidate = candidateOf(world.record, revision);
  const plan = candidate && world.planOf(stage, candidate);
  return plan?.state === "known" ? plan.digest : undefined;
}

/** Whether every earlier stage has passed a candidate, also if one renders it differently since then and proves it again. */
function wasAvailable(candidate: Candidate, stage: Stage, world: PipelineWorld): boolean {
  return unprovenStages(candidate, stage, world).every((name) => {
    const before = world.stages.find((one) => one.name === name);
    return before !== undefined && hasPassedAs(candidate, before, world);
  });
}

/** Whether a stage has passed a candidate, or a commit that has the same digest now, when that rendered differently. */
function hasPassedAs(candidate: Candidate, stage: Stage, world: PipelineWorld): boolean {
  const plan = world.planOf(stage, candidate);
  if (plan.state !== "known") return false;
  return historyOf(world, stage).started.some(({ spec, passedAt }) => {
    if (passedAt === undefined) return false;
    return spec.candidate === candidate.number || digestNow(spec.revision, stage, world) === plan.digest;
  });
}

function hasApproval(
  candidate: Candidate,
  { stage, world, isRejection }: Pick<At, "stage" | "world"> & { readonly isRejection: boolean },
): boolean {
  const { approvals, name } = world;
  const plan = world.planOf(stage, candidate);
  return (
    plan.state === "known" &&
    approvals.some((approval) => {
      const { spec } = approval as ApprovalResource;
      if (spec?.pipeline !== name || spec.digest !== plan.digest) return false;
      // Rejections count under all names of a stage, and approvals only under its current name.
      if (isRejection) return spec.decision === "Reject" && stage.names.has(spec.stage);
      return spec.decision !== "Reject" && spec.stage === stage.name;
    })
  );
}
