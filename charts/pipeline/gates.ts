import { instantMs } from "../../crds/kind-context.ts";
import type { GateName } from "../../crds/pipeline-status.ts";
import type { Bypass, PromotionSpec } from "../../crds/promotion.ts";
import { shortId } from "../../crds/short-id.ts";
import { assessApprovals } from "./approvals.ts";
import { closedByDifferences } from "./differences.ts";
import { assessFreezes } from "./freeze.ts";
import { unprovenStages } from "./order.ts";
import { agreedReleases, describeReleases } from "./release-problems.ts";
import { later, latest } from "./release-state.ts";
import { excludesAuthors, type Stage } from "./shape.ts";
import { authorsIn, spanOf } from "./stage-span.ts";
import { assessWindows } from "./windows.ts";
import { candidateOf, historyOf, type PipelineWorld, type StageTarget } from "./world.ts";

/** A reason why a stage does not start a candidate. */
export interface ClosedGate {
  readonly gate: GateName;
  /** Why it is closed. */
  readonly message: string;
  /** When it opens, RFC 3339; undefined: it does not open at a known time. */
  readonly until?: string;
  /** The input of the gate is still being read. */
  readonly isPending?: true;
  /** It stays closed until the Pipeline or the platform is changed. */
  readonly blocked?: true;
  /** Users whose Approvals do not count. */
  readonly excluded?: readonly string[];
}

export interface GatesInput {
  readonly stage: Stage;
  readonly world: PipelineWorld;
  /** Gates that are skipped. */
  readonly bypass: ReadonlySet<Bypass>;
}

/** Start of the search for the current time. A chart cannot read the clock; it can only test whether an instant has passed. */
const LONG_AGO = "2020-01-01T00:00:00Z";
/** Maximum number of excluded users in a status. */
const mostExcluded = 100;

/** The gates that are closed for a stage, regardless of the target. Pure. */
export function closedForStage({ stage, world, bypass }: GatesInput): readonly ClosedGate[] {
  const { spec, clock } = world;
  const closed: ClosedGate[] = [];
  if (spec.suspend)
    closed.push({ gate: "Suspended", message: "spec.suspend is true: no candidate is started" });
  const problems = describeReleases(stage, world);
  if (problems.length > 0) closed.push({ gate: "Releases", message: problems.join("; ") });
  if (!bypass.has("Freeze")) {
    const freeze = closedByFreeze(stage, world);
    if (freeze !== undefined) closed.push(freeze);
  }
  if (!bypass.has("Windows")) {
    const { windows = [] } = stage.enter ?? {};
    const state = assessWindows({ windows, anchor: LONG_AGO, clock });
    if (!state.isOpen)
      closed.push({
        gate: "Windows",
        message: state.message,
        ...(state.until === undefined ? { blocked: true } : { until: state.until }),
      });
  }
  return closed;
}

/** The gate that a Freeze closes; undefined: no Freeze applies to the stage. Pure. */
export function closedByFreeze(
  stage: Stage,
  { name, labels, freezes, clock }: PipelineWorld,
): ClosedGate | undefined {
  const state = assessFreezes({
    pipeline: { metadata: { name, labels } },
    stage: stage.name,
    formerly: stage.formerly,
    freezes,
    clock,
  });
  if (state.holding.length === 0) return undefined;
  return { gate: "Freeze", message: state.message, ...(state.until !== undefined && { until: state.until }) };
}

/** Time in which all Releases of a Pipeline report that they render differently. */
const renderingTime = "1m";

export interface TargetGates {
  readonly closed: readonly ClosedGate[];
  /** The Approvals that count. */
  readonly approvals: NonNullable<PromotionSpec["approvals"]>;
  /** A user has rejected the digest: the candidate has failed for this stage. */
  readonly isRejected: boolean;
}

/** The gates that are closed for a target of a stage. Pure. */
export function closedForTarget(
  target: StageTarget & { readonly mutable?: readonly string[] },
  { stage, world, bypass }: GatesInput,
): TargetGates {
  const closed: ClosedGate[] = [];
  const { mutable = [] } = target;
  if (stage.requireImageDigests === true && mutable.length > 0)
    closed.push({ gate: "Images", message: `images without a digest: ${mutable.join(", ")}` });
  const differences = bypass.has("Differences")
    ? undefined
    : closedByDifferences(target.revision, { stage, world });
  if (differences !== undefined) closed.push(differences);
  const rule = stage.enter?.approvals;
  const span = excludesAuthors(stage)
    ? authorsIn(world.source, spanOf(target.revision, { stage, world }))
    : undefined;
  const isUnread = excludesAuthors(stage) && (world.source?.state !== "ready" || span?.state === "pending");
  const { state, counted, refused, excluded, message } = assessApprovals({
    pipeline: world.name,
    stage: stage.name,
    formerly: stage.formerly,
    digest: target.digest,
    rule,
    approvals: world.approvals,
    notInForce: world.approvalsRefused,
    span,
    authors: world.authors,
  });
  if (state !== "Approved" && !bypass.has("Approvals"))
    closed.push({
      gate: "Approvals",
      message: `${shortId(target.revision)}, digest ${target.digest}: ${message}`,
      ...(excluded && { excluded: excluded.slice(0, mostExcluded) }),
      ...(span?.state === "pending" && { isPending: true }),
      ...(state === "Waiting" && refused !== undefined && !isUnread && { blocked: true }),
    });
  const approvals = rule === undefined ? [] : [...counted];
  return { closed, approvals, isRejected: state === "Rejected" && !bypass.has("Approvals") };
}

/** The earlier stages that have not passed a commit. Pure. */
export function unprovenBefore(revision: string, stage: Stage, world: PipelineWorld): readonly string[] {
  const candidate = candidateOf(world.record, revision);
  if (candidate !== undefined) return unprovenStages(candidate, stage, world);
  return stage.comesAfter.filter((name) => {
    const before = world.stages.find((one) => one.name === name);
    if (before === undefined) return true;
    return !historyOf(world, before).started.some(
      ({ spec, passedAt }) => spec.revision === revision && passedAt !== undefined,
    );
  });
}

/** The gate that is closed because earlier stages have not passed a commit; undefined: they have. Pure. */
export function closedByOrder(
  revision: string,
  { stage, world }: Omit<GatesInput, "bypass">,
): ClosedGate | undefined {
  const unproven = unprovenBefore(revision, stage, world);
  if (unproven.length === 0) return undefined;
  const message = `${shortId(revision)} has not passed ${unproven.map((name) => `stage "${name}"`).join(" and ")}`;
  const isBlocked = unproven.some((name) => neverPasses(name, world));
  return { gate: "Order", message, ...(isBlocked && { blocked: true }) };
}

/**
 * The gate that is closed for a minute after Releases of a stage have found that they render their commit differently. An upgrade of
 * the operator, or inputs of several stages, change earlier stages too, and these must report it before they count as passed. The
 * gate opens when the stages that it follows have started something since then. Pure.
 */
export function closedByRendering({ stage, world }: Omit<GatesInput, "bypass">): ClosedGate | undefined {
  if (stage.comesAfter.length === 0) return undefined;
  const mismatches = [...agreedReleases(stage, world).values()].flatMap(({ conditions }) => {
    // `Ready` may be false since earlier, such as during an unhealthy period.
    const { reason, lastTransitionTime } = conditions.get("Applied") ?? conditions.get("Ready") ?? {};
    return reason === "DigestMismatch" && lastTransitionTime !== undefined ? [lastTransitionTime] : [];
  });
  const [first, ...others] = mismatches;
  if (first === undefined) return undefined;
  const since = latest(first, ...others);
  const until = later(since, renderingTime);
  if (world.clock.reached(until) || haveStartedSince(since, { stage, world })) return undefined;
  const message = "its Releases render their commit differently now, and earlier stages may do so too";
  return { gate: "Order", message, until };
}

/** Whether the stages that a stage follows have started something since an instant: then they have reported. */
function haveStartedSince(instant: string, { stage, world }: Omit<GatesInput, "bypass">): boolean {
  return stage.comesAfter.every((name) => {
    const before = world.stages.find((one) => one.name === name);
    const { createdAt = "" } = (before && historyOf(world, before).current) ?? {};
    return createdAt !== "" && instantMs(createdAt) >= instantMs(instant);
  });
}

/** Whether a stage, or one that it follows, has no Releases: such a stage never passes. */
function neverPasses(name: string, world: PipelineWorld): boolean {
  const stage = world.stages.find((one) => one.name === name);
  if (stage === undefined) return true;
  return stage.keys.length === 0 || stage.comesAfter.some((before) => neverPasses(before, world));
}
