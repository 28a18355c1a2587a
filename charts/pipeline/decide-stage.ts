import type { Bypass } from "../../crds/promotion.ts";
import { shortId } from "../../crds/short-id.ts";
import {
  type ClosedGate,
  closedByFreeze,
  closedByOrder,
  closedByRendering,
  closedForStage,
  closedForTarget,
  type TargetGates,
} from "./gates.ts";
import { type NewPromotion, newPromotion } from "./new-promotion.ts";
import { isOpen, type PromotionView, type StartedPromotion } from "./promotions.ts";
import { agreedReleases } from "./release-problems.ts";
import { later } from "./release-state.ts";
import { startedRequest } from "./request-order.ts";
import { commandToPromote, hasPassedHere, requestToStart, resolveRequest } from "./requests.ts";
import type { Stage } from "./shape.ts";
import { proofOfStage } from "./stage-proof.ts";
import { isNoTime } from "./stage-rules.ts";
import { type At, isOutdated, type KnownPlan, startable, whyNothing } from "./startable.ts";
import { historyOf, type PipelineWorld, type StageTarget } from "./world.ts";

export interface StageDecision {
  readonly stage: Stage;
  readonly current: StartedPromotion | undefined;
  readonly start: NewPromotion | undefined;
  /** The target that starts when the gates are open and the slot is free. */
  readonly next: StageTarget | undefined;
  /** Why it does not start. */
  readonly waiting: readonly ClosedGate[];
}

/** Decides whether a stage starts a target now, and which one. Pure. */
export function decideStage(stage: Stage, world: PipelineWorld): StageDecision {
  const history = historyOf(world, stage);
  const { current } = history;
  const at = { stage, world, history };
  const request = requestToStart(at);
  const asked = request === undefined ? undefined : decideRequest(request, at);
  // An automatic rollback does not wait for the gates of a request.
  const back = asked?.start === undefined ? decideRollback(at) : undefined;
  const decided = back?.start === undefined ? (asked ?? back) : back;
  return { stage, current, ...(decided ?? decideCandidate(at)) };
}

type Decided = Pick<StageDecision, "start" | "next" | "waiting">;

/** Decides on a user's request, which has precedence and supersedes a Promotion in progress. */
function decideRequest(request: PromotionView, at: At): Decided {
  const { stage, world } = at;
  const bypass = new Set<Bypass>(request.spec.bypass ?? []);
  const resolved = resolveRequest(request, at);
  const closed = [...closedForStage({ stage, world, bypass })];
  if ("problem" in resolved)
    return {
      start: undefined,
      next: undefined,
      waiting: [{ gate: "Plan", message: resolved.problem }, ...closed],
    };
  const { target } = resolved;
  // A digest that this stage has passed before does not need to pass the earlier stages again.
  const isEarlier = hasPassedHere(target.digest, at);
  const order =
    isEarlier || bypass.has("Order") ? undefined : closedByOrder(target.revision, { stage, world });
  const gates = closedForTarget(target, {
    stage,
    world,
    bypass: isEarlier ? new Set([...bypass, ...ofEarlier]) : bypass,
  });
  const waiting = [...(order === undefined ? [] : [order]), ...closed, ...gates.closed];
  if (waiting.length > 0)
    return { start: undefined, next: target, waiting: withAdvice(waiting, { request, target, at }) };
  const { by, reason, hold } = request.spec;
  const start = newPromotion(target, at, {
    ...(by !== undefined && { by }),
    ...(reason !== undefined && { reason }),
    ...(hold === true && { hold }),
    ...(bypass.size > 0 && { bypass: [...bypass] }),
    ...(gates.approvals.length > 0 && { approvals: [...gates.approvals] }),
    request: startedRequest(request, at.history.requests),
  });
  return { start, next: undefined, waiting: [] };
}

/** The gates, with a command if the stage has passed the commit when that rendered differently. */
function withAdvice(
  waiting: readonly ClosedGate[],
  { request, target, at }: { readonly request: PromotionView; readonly target: StageTarget; readonly at: At },
): readonly ClosedGate[] {
  const { revision, digest } = target;
  const passed = at.history.started.findLast(
    ({ spec, passedAt }) => spec.revision === revision && spec.digest !== digest && passedAt !== undefined,
  );
  const closed = waiting.flatMap(({ gate }) => (gate === "Order" || gate === "Differences" ? [gate] : []));
  const [first] = closed;
  if (passed === undefined || first === undefined) return waiting;
  const advice =
    `; it passed this stage with digest ${passed.spec.digest}, and has digest ${digest} now: ` +
    "the inputs or the operator have changed. " +
    `To deploy it as it renders now: ${commandToPromote(request, closed, at)}`;
  return waiting.map((one) => (one.gate === first ? { ...one, message: `${one.message}${advice}` } : one));
}

/** Rolls a failed stage back once to the last passed digest, if `onFailure` is `RollBack`. Windows and approvals do not apply. */
function decideRollback(at: At): Decided | undefined {
  const { stage, world, history } = at;
  const { current, lastPassed } = history;
  if (stage.onFailure !== "RollBack" || current?.failedAt === undefined || lastPassed === undefined)
    return undefined;
  if (current.spec.rollback === true || current.spec.hold === true) return undefined;
  const { revision, digest, releases = [] } = lastPassed.spec;
  const target = { revision, digest, releases };
  // If the Releases of the stage have changed since then, it cannot be rolled back as a whole.
  const keys = releases.map(({ namespace, name }) => `${namespace}/${name}`).sort();
  if (keys.join(" ") !== stage.keys.join(" ")) return undefined;
  const freeze = closedByFreeze(stage, world);
  const suspended = world.spec.suspend ? closedForStage({ stage, world, bypass: everything }) : [];
  const waiting = [
    ...suspended.filter(({ gate }) => gate === "Suspended"),
    ...(freeze === undefined ? [] : [freeze]),
  ];
  if (waiting.length > 0) return { start: undefined, next: target, waiting };
  return { start: newPromotion(target, at, { rollback: true }), next: undefined, waiting: [] };
}

const everything: ReadonlySet<Bypass> = new Set<Bypass>([
  "Approvals",
  "Windows",
  "Freeze",
  "Order",
  "Soak",
  "Verify",
  "Differences",
]);
/** Gates that are skipped for a digest that the stage has passed before. */
const ofEarlier: ReadonlySet<Bypass> = new Set<Bypass>(["Differences"]);
const nothing: ReadonlySet<Bypass> = new Set();

/** Starts the newest candidate whose gates are open, if the slot is free. */
function decideCandidate(at: At): Decided {
  const { stage, world, history } = at;
  const chosen = chooseCandidate(at);
  if (chosen === undefined) return { start: undefined, next: undefined, waiting: whyNothing(at) };
  const { plan, gates } = chosen;
  const rendering = closedByRendering({ stage, world });
  const waiting = [
    ...(rendering === undefined ? [] : [rendering]),
    ...holdOf(at),
    ...slotOf(at),
    ...closedForStage({ stage, world, bypass: nothing }),
    ...gates.closed,
  ];
  if (waiting.length > 0) return { start: undefined, next: plan, waiting };
  const { approvals } = gates;
  const start = newPromotion(
    plan,
    { stage, world, history },
    approvals.length > 0 ? { approvals: [...approvals] } : {},
  );
  return { start, next: undefined, waiting: [] };
}

/** The newest candidate whose own gates are open; else the newest one that is not rejected; else the newest one. */
function chooseCandidate(at: At) {
  const { stage, world } = at;
  let first: { readonly plan: KnownPlan; readonly gates: TargetGates } | undefined;
  for (const { plan } of startable(at)) {
    const gates = closedForTarget(plan, { stage, world, bypass: nothing });
    // A candidate with open gates does not wait for the gates of a newer one.
    if (gates.closed.length === 0 && !gates.isRejected) return { plan, gates };
    if (first === undefined || (first.gates.isRejected && !gates.isRejected)) first = { plan, gates };
  }
  return first;
}

function holdOf({ history: { hold } }: At): readonly ClosedGate[] {
  if (hold === undefined) return [];
  const { by = "a user", reason = "no reason given" } = hold.spec;
  const message = `held by ${by}: ${reason}; delete Promotion "${hold.name}" to continue`;
  return [{ gate: "Hold", message }];
}

/** The gate that is closed while a Promotion has no outcome, if newer candidates do not supersede it now. */
function slotOf({ stage, world, history: { current, replaced } }: At): readonly ClosedGate[] {
  if (current === undefined || !isOpen(current) || isOutdated(current, stage, world)) return [];
  const { soak = "0s", verify = [] } = stage.pass ?? {};
  const isProtected = !isNoTime(soak) || verify.length > 0;
  const isReplaceable = stage.supersede ?? !isProtected;
  if (isReplaceable && replaced.length === 0) return [];
  const until = isReplaceable ? turnEnd(current, replaced) : soakEnd(current, { stage, world });
  if (isReplaceable && until !== undefined && world.clock.reached(until)) return [];
  return [
    {
      gate: "Slot",
      message: `proving ${shortId(current.spec.revision)}`,
      ...(until !== undefined && { until }),
    },
  ];
}

/**
 * When a newer candidate replaces a Promotion at the earliest, after others were replaced in a row: 2 minutes after its creation, and
 * twice as long for each further one. So a rollout of any length ends, however frequent commits are.
 */
function turnEnd({ createdAt }: StartedPromotion, replaced: readonly StartedPromotion[]): string | undefined {
  return createdAt === "" ? undefined : later(createdAt, `${2 ** replaced.length}m`);
}

/** Earliest time at which the current Promotion can pass; undefined: it waits for an event first. */
function soakEnd(
  current: StartedPromotion,
  { stage, world }: Pick<At, "stage" | "world">,
): string | undefined {
  const proof = proofOfStage(current, {
    stage,
    releases: agreedReleases(stage, world),
    clock: world.clock,
  });
  return proof.state === "Proving" ? proof.until : undefined;
}
