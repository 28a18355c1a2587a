import type { Candidate, StageStatus } from "../../crds/pipeline-status.ts";
import { shortId } from "../../crds/short-id.ts";
import { stageDigestOf } from "../../crds/stage-digest.ts";
import type { StageDecision } from "./decide-stage.ts";
import { undeclaredIn } from "./differences.ts";
import { type ClosedGate, unprovenBefore } from "./gates.ts";
import { describeLatePlans } from "./late-plans.ts";
import { isOpen, type PromotionView } from "./promotions.ts";
import { agreedRelease, describeReleases } from "./release-problems.ts";
import type { Stage } from "./shape.ts";
import { shortenStage } from "./short-report.ts";
import { describeUnreadable } from "./windows.ts";
import { historyOf, type PipelineWorld, type StageTarget } from "./world.ts";

/**
 * The status of a stage. It contains no remaining times, which would change without an event. Pure.
 *
 * @param before The previous status.
 */
export function reportStage(
  decision: StageDecision,
  world: PipelineWorld,
  before?: StageStatus | undefined,
): StageStatus {
  const { stage, waiting } = decision;
  const next = decision.next ?? (isReplacing(decision) ? decision.start?.spec : undefined);
  const running = runningIn(decision, world);
  const promotion = promotionIn(decision, world);
  const problems = problemsOf(decision, world, before);
  const { failedSince } = historyOf(world, stage);
  return shortenStage({
    name: stage.name,
    phase: phaseOf(decision, world),
    ...(running !== undefined && { running }),
    ...(promotion !== undefined && { promotion }),
    ...(failedSince !== undefined && { failedSince }),
    ...(next !== undefined && { next: { revision: next.revision, digest: next.digest } }),
    ...(waiting.length > 0 && {
      waiting: waiting.map((closed) => {
        const { message, blocked, excluded } = settledGate(closed, next, before) ?? closed;
        return {
          gate: closed.gate,
          message,
          ...(closed.until !== undefined && { until: closed.until }),
          ...(blocked && { blocked }),
          ...(excluded !== undefined && { excluded: [...excluded] }),
        };
      }),
    }),
    ...(problems.length > 0 && { problems }),
  });
}

/** The previous report of a gate while its input is being read again, such as after a start of the operator. */
function settledGate(
  { gate, isPending }: ClosedGate,
  next: Pick<StageTarget, "revision" | "digest"> | undefined,
  before: StageStatus | undefined,
): Pick<NonNullable<StageStatus["waiting"]>[number], "message" | "blocked" | "excluded"> | undefined {
  const isSame = before?.next?.revision === next?.revision && before?.next?.digest === next?.digest;
  return isPending === true && isSame ? before?.waiting?.find((one) => one.gate === gate) : undefined;
}

function phaseOf(
  { stage, current, start, next, waiting }: StageDecision,
  world: PipelineWorld,
): StageStatus["phase"] {
  if (historyOf(world, stage).hold !== undefined) return "Held";
  // The Promotion in `start` is created right after this status is composed.
  if (start !== undefined || (current !== undefined && isOpen(current))) return "Proving";
  if (next !== undefined) return "Waiting";
  if (current?.failedAt !== undefined) return "Failed";
  if (waiting.length > 0) return "Waiting";
  return current === undefined ? "Idle" : "Passed";
}

function runningIn({ stage }: StageDecision, world: PipelineWorld): StageStatus["running"] {
  const deployed = stage.keys.map((key) => ({
    key,
    deployed: agreedRelease(key, { stage, world })?.deployed,
  }));
  const revisions = new Set(deployed.map((one) => one.deployed?.revision));
  const [revision] = revisions;
  const digests = deployed.flatMap(({ key, deployed: one }) => {
    const [namespace = "", name = ""] = key.split("/");
    return one?.digest === undefined ? [] : [{ namespace, name, digest: one.digest }];
  });
  const isWhole = digests.length === stage.keys.length && digests.length > 0;
  if (revision === undefined && !isWhole) return undefined;
  const digest = isWhole ? stageDigestOf(digests) : undefined;
  const isProven = digest !== undefined && historyOf(world, stage).evidenceOf(digest).state === "Passed";
  return {
    ...(revision !== undefined && revisions.size === 1 && { revision }),
    ...(digest !== undefined && { digest }),
    proven: isProven,
  };
}

function promotionIn(decision: StageDecision, world: PipelineWorld): StageStatus["promotion"] {
  const { stage, start, current } = decision;
  // Name the new Promotion before it is created: then the status needs no second write.
  const last = start === undefined || isReplacing(decision) ? current : { ...nothingYet, ...start };
  if (last === undefined) return undefined;
  const { name, spec, failedAt, message } = last;
  const unproven = spec.bypass?.includes("Order") === true ? unprovenBefore(spec.revision, stage, world) : [];
  return {
    name,
    number: spec.number ?? 0,
    revision: spec.revision,
    digest: spec.digest,
    // Leave out the message of a Promotion without an outcome, because it changes more often.
    ...(failedAt !== undefined && message !== undefined && { message }),
    ...(unproven.length > 0 && { unproven: [...unproven] }),
  };
}

const nothingYet: Pick<PromotionView, "failedAt" | "message"> = {};

/** Whether the new Promotion supersedes one without an outcome. That one stays the current one until the new one exists. */
function isReplacing({ start, current }: StageDecision): boolean {
  return start !== undefined && current !== undefined && isOpen(current);
}

/** The errors of the Releases of a stage that cannot plan a candidate. */
function errorsIn(
  { releases }: Candidate,
  { keys }: Stage,
): readonly { readonly key: string; readonly error: string }[] {
  return keys.flatMap((key) => {
    const error = releases.find(({ release }) => release === key)?.error;
    return error === undefined ? [] : [{ key, error }];
  });
}

/** Problems that a user must solve. */
function problemsOf(
  { stage, current }: StageDecision,
  world: PipelineWorld,
  before: StageStatus | undefined,
): string[] {
  const newest = world.record.candidates?.at(-1);
  const plan = newest === undefined ? undefined : world.planOf(stage, newest);
  const releases = describeReleases(stage, world);
  const errors = newest === undefined ? [] : errorsIn(newest, stage);
  // A Release that is not valid reports the same error as the reason of its own state.
  const failed = errors
    .filter(
      ({ key, error }) =>
        !releases.some(
          (text) => text.startsWith(`Release "${key}" `) && text.includes(error.replace(/…$/, "")),
        ),
    )
    .slice(0, 1)
    .map(
      ({ key, error }) => `${shortId(newest?.revision ?? "")} cannot be planned: Release "${key}": ${error}`,
    );
  const differing =
    newest !== undefined && plan?.state === "known" && plan.digest !== current?.spec.digest
      ? undeclaredIn(newest.revision, { stage, world }).differing.map(
          (text) => `${shortId(newest.revision)} cannot start: ${text}`,
        )
      : [];
  return [
    ...describeUnreadable(stage.enter?.windows ?? []).map((text) => `a window is closed: ${text}`),
    ...releases,
    ...describeLatePlans(stage, world, before),
    ...failed,
    ...differing,
  ];
}
