import { Cron } from "croner";
import { toMilliseconds } from "../../crds/duration.ts";
import { lastReached } from "./last-reached.ts";
import { type TimeZone, timeZoneOf } from "./local-time.ts";

/** A recurring span of time. */
export interface RecurrenceSpec {
  /** When it begins: the five fields of cron, in local time. */
  readonly cron: string;
  /** How long it lasts, in elapsed time, such as `8h`. */
  readonly duration: string;
  /** A named time zone. Default: UTC. */
  readonly timeZone?: string | undefined;
}

/** The beginnings and ends of a recurring span. All times are milliseconds since 1970. */
export interface Recurrence {
  readonly text: string;
  isOpenAt(atMs: number): boolean;
  /** The first beginning after an instant; undefined: there is none. */
  startAfter(atMs: number): number | undefined;
  /** The end of the last span that has begun and is open at an instant; undefined: none is open. */
  endOfOpen(atMs: number): number | undefined;
  /** The first beginning or end after an instant; undefined: there is none. */
  edgeAfter(atMs: number): number | undefined;
  /** The last beginning or end at or before an instant; undefined: there is none within 30 years. */
  edgeUntil(atMs: number): number | undefined;
}

const hourMs = 3_600_000;
const longestMs = 366 * 24 * hourMs;
const farBackMs = 30 * longestMs;

/**
 * Parses a recurring span. A beginning at a skipped local time is moved to the end of the gap, and one at a repeated
 * local time is the first occurrence. Pure.
 *
 * @returns The span, or why it cannot be parsed.
 */
export function readRecurrence({ cron, duration, timeZone = "UTC" }: RecurrenceSpec): Recurrence | string {
  const lengthMs = toMilliseconds(duration);
  if (!(lengthMs > 0 && lengthMs <= longestMs)) return `cannot read the duration "${duration}"`;
  const zone = timeZoneOf(timeZone);
  if (zone === undefined) return `the time zone "${timeZone}" is not known`;
  const matches = readCron(cron);
  if (matches === undefined) return `cannot read the cron expression "${cron}"`;
  const startAfter = startsOf(matches, zone);
  const startUntil = (atMs: number): number | undefined => {
    for (let spanMs = hourMs; spanMs < farBackMs; spanMs *= 2) {
      const first = startAfter(atMs - spanMs);
      if (first === undefined || first > atMs) continue;
      return lastReached(startAfter, { isReached: (startMs) => startMs <= atMs, from: first });
    }
    return undefined;
  };
  return {
    text: `"${cron}" for ${duration} (${timeZone})`,
    isOpenAt: (atMs) => (startAfter(atMs - lengthMs) ?? Number.POSITIVE_INFINITY) <= atMs,
    startAfter,
    endOfOpen: (atMs) => {
      const first = startAfter(atMs - lengthMs);
      if (first === undefined || first > atMs) return undefined;
      return lastReached(startAfter, { isReached: (startMs) => startMs <= atMs, from: first }) + lengthMs;
    },
    edgeAfter: (atMs) => {
      const ended = startAfter(atMs - lengthMs);
      // Without a later beginning there is no later end.
      if (ended === undefined) return undefined;
      return Math.min(startAfter(atMs) ?? Number.POSITIVE_INFINITY, ended + lengthMs);
    },
    edgeUntil: (atMs) => {
      const start = startUntil(atMs);
      const ended = startUntil(atMs - lengthMs);
      return start === undefined || ended === undefined ? start : Math.max(start, ended + lengthMs);
    },
  };
}

/** Parses with the cron library, which gets local times as if they were UTC: then it does not apply changes of the clock. */
function readCron(cron: string): Cron | undefined {
  // Seconds, years and names such as `@daily` are extensions of the library.
  if (cron.trim().split(/\s+/).length !== 5) return undefined;
  try {
    return new Cron(cron, { utcOffset: 0, paused: true });
  } catch {
    return undefined;
  }
}

/** The first beginning after an instant; undefined: there is none. */
function startsOf(matches: Cron, zone: TimeZone): (atMs: number) => number | undefined {
  return (atMs) => {
    let wallMs = zone.wallAt(atMs);
    for (;;) {
      // A repeated local time that first occurred before the instant is not a beginning again.
      const next = matches.nextRun(new Date(wallMs));
      if (next === null) return undefined;
      wallMs = next.getTime();
      const startMs = zone.firstInstantOf(wallMs);
      if (startMs > atMs) return startMs;
    }
  };
}
