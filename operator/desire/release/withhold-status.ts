import type { NextPlan } from "../../../crds/release.ts";
import type { EngineStatus } from "../../../crds/status.ts";
import { isSameJson } from "../../../synth/same-json.ts";
import type { StatusChange } from "../../engine/report.ts";
import type { ResourceStatus } from "../../engine/status.ts";
import type { LoadedRelease } from "./load-release.ts";
import type { Withheld } from "./release-memory.ts";
import type { ReleaseOutcome } from "./release-outcome.ts";
import { releaseStatusDelayMs } from "./release-status.ts";

/** The decision about a status that differs from the existing one. */
export interface Withholding {
  /** How much longer it is withheld, in milliseconds; 0: write it now. */
  readonly forMs: number;
  readonly withheld: Withheld;
  /** The memory after it is written. */
  readonly onceWritten: Withheld;
}

/**
 * Decides whether a new status is withheld. A status that will change without an edit is written only after a short delay,
 * because most Releases are ready by then, and again only after another delay. Pure.
 *
 * @param nowMs Monotonic clock.
 */
export function withholdStatus(
  { resource, memory: { withheld } }: Pick<LoadedRelease, "resource" | "memory">,
  { change, ended, othersPending }: Ending,
  nowMs: number,
): Withholding {
  if (change === undefined) {
    const none =
      withheld.sinceMs === undefined ? withheld : { ...withheld, sinceMs: undefined, isFetched: false };
    return { forMs: 0, withheld: none, onceWritten: none };
  }
  const { status } = change;
  const isPlanned = ended.isPlanning === true && isSameStatus(resource.status, status);
  if (!(isPlanned || willChange(status, ended)) || hasNewPlan(resource, status))
    return {
      forMs: 0,
      withheld,
      onceWritten: { sinceMs: undefined, isProgressTold: false, isFetched: false },
    };
  const { outcome } = ended;
  // A long wait has been withheld already.
  const isNew = outcome.state === "pending" && outcome.isLong !== true;
  // This run may have waited for its turn behind many others, and the render starts only now.
  const startsRender = isNew && outcome.isFetched === true && !withheld.isFetched;
  const sinceMs = startsRender ? nowMs : (withheld.sinceMs ?? nowMs);
  const isFetched = startsRender || withheld.isFetched;
  const pendingMs = isNew ? othersPending * perPendingMs : 0;
  const delayMs = Math.min(statusDelayMs(resource, status, withheld) + pendingMs, longestDelayMs);
  return {
    forMs: Math.max(0, sinceMs + delayMs - nowMs),
    withheld: { ...withheld, sinceMs, isFetched },
    onceWritten: { sinceMs: nowMs, isProgressTold: true, isFetched },
  };
}

/** Whether a status differs from the one before only in the generation. */
function isSameStatus(before: LoadedRelease["resource"]["status"], status: ResourceStatus): boolean {
  return before !== undefined && isSameJson(withoutGeneration(before), withoutGeneration(status));
}

function withoutGeneration({
  observedGeneration: _,
  conditions = [],
  ...others
}: EngineStatus & {
  readonly deployed?: { readonly generation?: number | undefined } | undefined;
}): object {
  const { generation: __, ...deployed } = others.deployed ?? {};
  const statements = conditions.map(({ observedGeneration: ___, ...statement }) => statement);
  return { ...others, deployed, conditions: statements };
}

/**
 * Additional delay for each other pending Release of the namespace: a hundred may wait for one clone, and a write for each would
 * take time from what they wait for.
 */
const perPendingMs = 200;
/** A wait is reported after this time at the latest. */
const longestDelayMs = 30_000;

/** Interval of reports of progress. Without it, each step of a rollout would cause a write. */
const progressMs = 10_000;

function statusDelayMs(
  { status: before }: LoadedRelease["resource"],
  { attempted, observedGeneration }: ResourceStatus,
  { isProgressTold }: Withheld,
): number {
  const isSame = before?.attempted === attempted && before?.observedGeneration === observedGeneration;
  return isSame && isProgressTold ? progressMs : releaseStatusDelayMs;
}

/** Whether the status has a new plan, for which a Pipeline waits. Numbers of changes are ignored: each deployment changes them. */
function hasNewPlan({ status }: LoadedRelease["resource"], { next }: ResourceStatus): boolean {
  return (
    next !== undefined &&
    !isSameJson(comparablePlan(next as NextPlan), status?.next && comparablePlan(status.next))
  );
}

/** Fields of a plan that are ignored: the numbers of changes, and the inputs. */
const workOfPlans: ReadonlySet<string> = new Set(["create", "change", "delete", "held", "inputs"]);

function comparablePlan(plan: NextPlan): object {
  return Object.fromEntries(Object.entries(plan).filter(([name]) => !workOfPlans.has(name)));
}

/** The end of a run, and the status that it would write. */
interface Ending {
  /** Undefined: the status is unchanged. */
  readonly change: StatusChange | undefined;
  readonly ended: EndedRun;
  /** The number of other pending Releases of the namespace. */
  readonly othersPending: number;
}

/** The part of a run's result that is needed here. */
interface EndedRun {
  readonly outcome: ReleaseOutcome;
  readonly error?: unknown;
  /** Whether a plan is in progress, which is reported when it is complete. */
  readonly isPlanning?: boolean;
}

/** Whether the status will change without an action of a user. */
function willChange({ conditions = [] }: ResourceStatus, { outcome, error }: EndedRun): boolean {
  if (error !== undefined || outcome.state === "refused" || outcome.state === "unsourced") return false;
  if (outcome.state === "pending") return true;
  // A wait for a Pipeline may be long.
  if (outcome.state === "waiting" && outcome.reason === "PinPending") return false;
  return conditions.some(
    ({ type, status }) =>
      (type === "Reconciling" && status === "True") || (type === "Published" && status === "Unknown"),
  );
}
