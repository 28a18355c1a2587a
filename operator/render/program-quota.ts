/** Time that programs of one namespace ran: the sum of the runs that ended in one minute of the monotonic clock. */
export interface UsedMinute {
  /** Minutes since the clock's zero. */
  readonly minute: number;
  readonly ms: number;
}

export type RunDecision =
  | { readonly state: "run" }
  /** Wait until a running program has ended: only then is the remaining quota known. */
  | { readonly state: "wait" }
  /** The quota is used up; some of it is available again at this time of the monotonic clock. */
  | { readonly state: "used-up"; readonly untilMs: number };

export interface RunDecisionInput {
  readonly used: readonly UsedMinute[];
  /** Sum of the maximum durations of the running programs. */
  readonly openMs: number;
  /** Time that programs may run within an hour; greater than 0. */
  readonly quotaMs: number;
  readonly nowMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Decides whether a namespace may start one more program. Running programs count with their maximum duration, so within
 * any hour the quota is exceeded by one run at most. Pure.
 */
export function decideRun({ used, openMs, quotaMs, nowMs }: RunDecisionInput): RunDecision {
  const counted = used.filter(({ minute }) => leavesAtMs(minute) > nowMs);
  let usedMs = counted.reduce((sum, { ms }) => sum + ms, 0);
  if (usedMs + openMs < quotaMs) return { state: "run" };
  for (const { minute, ms } of counted) {
    if (usedMs < quotaMs) break;
    usedMs -= ms;
    if (usedMs < quotaMs) return { state: "used-up", untilMs: leavesAtMs(minute) };
  }
  return { state: "wait" };
}

/** Adds a finished run, and removes entries older than an hour: at most 62 minutes are kept. Pure. */
export function addUse(used: readonly UsedMinute[], ms: number, nowMs: number): readonly UsedMinute[] {
  const minute = Math.floor(nowMs / MINUTE_MS);
  const kept = used.filter((one) => leavesAtMs(one.minute) > nowMs);
  const last = kept.at(-1);
  if (last?.minute !== minute) return [...kept, { minute, ms }];
  return [...kept.slice(0, -1), { minute, ms: last.ms + ms }];
}

/** Whether all entries have expired. Pure. */
export function isForgotten(used: readonly UsedMinute[], nowMs: number): boolean {
  return used.every(({ minute }) => leavesAtMs(minute) <= nowMs);
}

/** An entry counts until one hour after the end of its minute. */
function leavesAtMs(minute: number): number {
  return (minute + 1) * MINUTE_MS + HOUR_MS;
}
