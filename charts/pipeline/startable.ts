import type { Candidate } from "../../crds/pipeline-status.ts";
import { shortId } from "../../crds/short-id.ts";
import { type ClosedGate, closedByOrder } from "./gates.ts";
import { findReverting, isAvailable } from "./keep-candidates.ts";
import type { StageHistory, StartedPromotion } from "./promotions.ts";
import { describeReleases, findProblem, whyStalled } from "./release-problems.ts";
import type { Stage } from "./shape.ts";
import { candidateOf, type PipelineWorld, type PlannedStage } from "./world.ts";

/** A stage, and the input of its decisions. */
export interface At {
  readonly stage: Stage;
  readonly world: PipelineWorld;
  readonly history: StageHistory;
}

export type KnownPlan = Extract<PlannedStage, { readonly state: "known" }>;

/**
 * Candidates that the stage could run next, the newest first: mostly the first of them is enough. None that a newer one has reverted.
 * Pure.
 */
export function startable({
  stage,
  world,
  history,
}: At): IteratorObject<{ readonly candidate: Candidate; readonly plan: KnownPlan }> {
  const { current, forward, position } = history;
  const candidates = world.record.candidates ?? [];
  const reverting = findReverting(candidates, stage, world);
  return (
    candidates
      // The target itself is not reverted: it may render differently now, also while the plan of the reverting one is older.
      .filter(({ revision }, index) => index >= reverting || revision === current?.spec.revision)
      .toReversed()
      .values()
      // One that was added again for a request starts only by that request.
      .filter(({ number, requested }) => number >= position && requested !== true)
      .flatMap((candidate) => {
        const plan = world.planOf(stage, candidate);
        return plan.state === "known" ? [{ candidate, plan }] : [];
      })
      .filter(
        ({ candidate, plan }) =>
          isAhead(candidate, plan, { position, forward }) && plan.digest !== current?.spec.digest,
      )
      .filter(({ plan }) => history.evidenceOf(plan.digest).state !== "Failed")
      .filter(({ candidate }) => isAvailable(candidate, stage, world))
  );
}

/** Whether a candidate is newer than the stage's position, or is at that position and renders differently than it did then. */
function isAhead(
  { number }: Candidate,
  { digest }: KnownPlan,
  { position, forward }: Pick<StageHistory, "position" | "forward">,
): boolean {
  if (number !== position) return number > position;
  return forward?.spec.candidate === number && forward.spec.digest !== digest;
}

/**
 * Whether a Promotion can never pass: a Release now renders the commit differently than recorded, or no longer belongs to
 * the stage. Pure.
 */
export function isOutdated(
  { spec }: StartedPromotion,
  { keys }: Pick<Stage, "keys">,
  { record }: Pick<PipelineWorld, "record">,
): boolean {
  const candidate = candidateOf(record, spec.revision);
  return (spec.releases ?? []).some(({ namespace, name, digest }) => {
    const key = `${namespace}/${name}`;
    const plan = candidate?.releases.find(({ release }) => release === key);
    return !keys.includes(key) || (plan?.digest !== undefined && plan.digest !== digest);
  });
}

/** The gates that keep the stage from starting a newer candidate. Pure. */
export function whyNothing({ stage, world, history }: At): readonly ClosedGate[] {
  const newest = (world.record.candidates ?? []).findLast(({ number }) => number > history.position);
  if (newest === undefined) return [];
  const plan = world.planOf(stage, newest);
  const which = shortId(newest.revision);
  if (plan.state === "failed") return [{ gate: "Plan", message: `${which}: ${plan.message}` }];
  if (plan.state === "unknown") {
    const problems = describeReleases(stage, world);
    const missing = plan.missing
      .map((key) => {
        // The gate `Releases` has the reason of a Release that cannot be deployed.
        const isKnown = findProblem(key, stage, world) !== undefined;
        const why = isKnown ? undefined : whyStalled(key, newest.revision, { stage, world });
        return `Release "${key}"${why === undefined ? "" : `, which is stalled: ${why}`}`;
      })
      .join(", ");
    return [
      { gate: "Plan", message: `${which} is not planned by ${missing}` },
      ...(problems.length > 0 ? [{ gate: "Releases", message: problems.join("; ") } as const] : []),
    ];
  }
  if (plan.digest === history.current?.spec.digest) return [];
  const { state, promotion } = history.evidenceOf(plan.digest);
  if (state === "Failed")
    return [{ gate: "Failed", message: `${which} has failed: ${promotion?.message ?? "see its Promotion"}` }];
  const order = closedByOrder(newest.revision, { stage, world });
  return order === undefined ? [] : [order];
}
