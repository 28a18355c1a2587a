import { ApiUnavailableError, NotLeadingError } from "../errors.ts";
import type { Clock } from "../ports.ts";
import { type ExplainedRun, explainRun } from "./explain-run.ts";
import { countObjects, describeId } from "./object-text.ts";
import { isTransient, listNames } from "./outcome.ts";
import { describeLeavingObject } from "./reasons.ts";

/** A hold is reported in a condition only if it lasts longer than this. */
export const longHoldMs = 30_000;

/** The reported end of a run. */
export interface HoldReport<End> {
  /** Undefined: nothing is reported yet. */
  readonly reported: End | undefined;
  /** Delay of the next reconcile, which may report it. */
  readonly againAfterMs?: number;
}

/** Records since when resources are held for a reason that is not in their conditions, such as repeated write conflicts. */
export class LongHolds {
  readonly #clock: Pick<Clock, "now" | "wallClock">;
  readonly #sinceMs = new Map<string, number>();

  constructor(clock: Pick<Clock, "now" | "wallClock">) {
    this.#clock = clock;
  }

  /** Decides the report of a run. A hold is reported only after it has lasted for a long time. */
  judge<End extends ExplainedRun>(key: string, ended: End): HoldReport<End> {
    const { outcome, error } = ended;
    const isPending = outcome.state === "pending";
    if (!isPending && !outcome.isQuiet && !isTransient(outcome, error)) {
      this.end(key);
      return describeLongPrune(ended, this.#clock.wallClock().getTime());
    }
    if (!canBeReported(error)) return { reported: undefined };
    const leftMs = this.#leftMs(key);
    if (leftMs > 0) return { reported: isPending ? ended : undefined, againAfterMs: leftMs };
    return {
      reported: isPending ? { ...ended, outcome: { ...outcome, isLong: true } } : describeLongHold(ended),
    };
  }

  /** The resource is no longer held, or its conditions contain the reason. */
  end(key: string): void {
    this.#sinceMs.delete(key);
  }

  #leftMs(key: string): number {
    const nowMs = this.#clock.now();
    return Math.max(0, this.#sinceMs.getOrInsertComputed(key, () => nowMs) + longHoldMs - nowMs);
  }
}

/** Whether this instance can report a failure: it must lead, and the API server must respond and not throttle. */
function canBeReported(error: unknown): boolean {
  if (error instanceof NotLeadingError) return false;
  return !(error instanceof ApiUnavailableError && (error.status === 0 || error.status === 429));
}

/** Describes the end of a run for the conditions after a long hold. Pure. */
export function describeLongHold<End extends ExplainedRun>(ended: End): End {
  const { outcome, error, converged } = ended;
  if (outcome.isQuiet) return { ...ended, outcome: { ...outcome, isQuiet: false } };
  if (error instanceof Error) return { ...ended, outcome: { state: "failed", message: error.message } };
  const { waits } = explainRun(ended);
  const message = waits.length === 0 ? unknownObjects : `Waiting: ${listNames(waits)}`;
  // Do not assess the health of unknown objects.
  const judged = converged && { converged: { ...converged, plan: undefined } };
  return { ...ended, ...judged, outcome: { state: "waiting", message, isWatched: true } };
}

const unknownObjects = "Waiting for the caches of its objects to fill";

/**
 * Describes a run in which all objects are applied, but objects that are no longer desired have been terminating for a long
 * time. The condition `Applied` is true and names them. Pure.
 *
 * @param nowMs Wall clock.
 */
export function describeLongPrune<End extends ExplainedRun>(ended: End, nowMs: number): HoldReport<End> {
  const { outcome } = ended;
  const { leaving = [], later = [] } = (ended.converged ?? ended).pruned ?? {};
  if (outcome.state !== "applied" || leaving.length === 0) return { reported: ended };
  const isLong = (since: string | undefined) => nowMs - Date.parse(since ?? "") >= longHoldMs;
  const long = leaving.filter(({ live }) => isLong(live.metadata.deletionTimestamp));
  if (long.length === 0) return { reported: ended, againAfterMs: longHoldMs };
  const names = long.map(({ id, live }) => `${describeId(id)} (${describeLeavingObject(live)})`).sort();
  const after = later.length === 0 ? "" : `; to be deleted after that: ${countObjects(later.length)}`;
  const waiting = `not deleted yet: ${listNames(names)}${after}`;
  return { reported: { ...ended, outcome: { ...outcome, waiting } } };
}
