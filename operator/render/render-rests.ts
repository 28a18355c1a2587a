import type { Clock } from "../ports.ts";

/** One render that has ended. */
export interface RenderEnd {
  readonly key: string;
  readonly namespace: string;
  readonly way: "manifests" | "program";
  /** Time that a process worked for it, without waiting: the reader of the folder, or the program. */
  readonly workedMs: number;
  /** It worked for nothing: it reached a limit, or its result was no longer needed. */
  readonly isWasted: boolean;
}

/**
 * Renders that worked for less time cause no rest. Longer ones cause a rest of this multiple of it. A folder takes most of
 * its time elsewhere: its files are fetched, sent and applied, too.
 */
const rules = {
  manifests: { fromMs: 100, factor: 20 },
  program: { fromMs: 1_000, factor: 4 },
} as const;
/** Maximum rest: a user who corrects a program that looped waits for it. */
const LONGEST_MS = 30_000;

/**
 * Rests after renders that worked long, so that a Release whose folder changes all the time, or a namespace with programs that
 * never end, gets a share of the processors, and others get the rest.
 */
export class RenderRests {
  readonly #clock: Clock;
  /** When the rest of a Release or of a namespace ends, on the clock. A key of a Release has a slash, a namespace has none. */
  readonly #untilMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The Release rests; after a wasted run of a program, all slow programs of its namespace rest. */
  note(end: RenderEnd): void {
    const restMs = restAfter(end);
    if (restMs === 0) return;
    const nowMs = this.#clock.now();
    for (const [who, untilMs] of this.#untilMs) if (untilMs <= nowMs) this.#untilMs.delete(who);
    this.#rest(end.key, nowMs + restMs);
    if (end.way === "program" && end.isWasted) this.#rest(end.namespace, nowMs + restMs);
  }

  /** How long renders of a Release, or slow programs of a namespace, have to wait, in milliseconds. */
  leftMs(who: string): number {
    return Math.max(0, (this.#untilMs.get(who) ?? 0) - this.#clock.now());
  }

  #rest(who: string, untilMs: number): void {
    this.#untilMs.set(who, Math.max(untilMs, this.#untilMs.get(who) ?? 0));
  }
}

/** How long the Release of a render rests, in milliseconds. Pure. */
export function restAfter({ way, workedMs }: Pick<RenderEnd, "way" | "workedMs">): number {
  const { fromMs, factor } = rules[way];
  return workedMs < fromMs ? 0 : Math.min(factor * workedMs, LONGEST_MS);
}
