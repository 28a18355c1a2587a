import type { Clock } from "../ports.ts";

/** One render that has ended. */
export interface RenderEnd {
  readonly key: string;
  readonly namespace: string;
  readonly way: "manifests" | "program";
  /** Time that a process worked for it, without the time in queues: the reader, the program, or a bundler that failed. */
  readonly workedMs: number;
  /** It reached a limit, or was cancelled because its result was no longer needed. */
  readonly isWasted: boolean;
}

/**
 * The delay is this multiple of the work beyond `freeMs`. A folder takes most of its time elsewhere: its files are fetched, sent
 * and applied, too.
 */
const rules = {
  manifests: { freeMs: 100, factor: 20 },
  program: { freeMs: 1_000, factor: 4 },
} as const;
/** Maximum delay. Short, because a user who fixes a looping program waits for it. */
const LONGEST_MS = 30_000;

/** Delays the next render after an expensive one, so that one resource or namespace cannot keep the processors busy. */
export class RenderCooldowns {
  readonly #clock: Clock;
  readonly #ofKeys = new Map<string, number>();
  readonly #ofNamespaces = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Delays the resource; after a wasted run of a program, all slow programs of its namespace. */
  note(end: RenderEnd): void {
    const delayMs = delayAfter(end);
    if (delayMs === 0) return;
    this.#delay(this.#ofKeys, end.key, delayMs);
    if (end.way === "program" && end.isWasted) this.#delay(this.#ofNamespaces, end.namespace, delayMs);
  }

  /** How long the next render of a resource has to wait, in milliseconds. */
  ofKey(key: string): number {
    return this.#remainingMs(this.#ofKeys.get(key));
  }

  /** How long the slow programs of a namespace have to wait, in milliseconds. */
  ofSlowPrograms(namespace: string): number {
    return this.#remainingMs(this.#ofNamespaces.get(namespace));
  }

  #delay(untilMs: Map<string, number>, key: string, delayMs: number): void {
    const nowMs = this.#clock.now();
    for (const [other, ms] of untilMs) if (ms <= nowMs) untilMs.delete(other);
    untilMs.set(key, Math.max(nowMs + delayMs, untilMs.get(key) ?? 0));
  }

  #remainingMs(untilMs = 0): number {
    return Math.max(0, untilMs - this.#clock.now());
  }
}

/** The delay of the next render of the same resource, in milliseconds. All of the work of a wasted run counts. Pure. */
export function delayAfter({ way, workedMs, isWasted }: Omit<RenderEnd, "key" | "namespace">): number {
  const { freeMs, factor } = rules[way];
  const countedMs = way === "program" && isWasted ? workedMs : Math.max(0, workedMs - freeMs);
  return Math.min(factor * countedMs, LONGEST_MS);
}
