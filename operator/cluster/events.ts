import type { LiveObject } from "../../crds/object.ts";
import { keyOf } from "../../crds/object.ts";
import type { Announcement } from "../engine/transitions.ts";
import type { Clock, EventRecorder, Fence, Random } from "../ports.ts";
import { TokenBuckets } from "../runtime/token-bucket.ts";
import { EventSeries, type RecordedEvent } from "./event-series.ts";
import { EventWriter } from "./event-writer.ts";
import type { ApiTransport } from "./transport.ts";

export interface KubeEventRecorderInput {
  readonly transport: ApiTransport;
  readonly fence: Fence;
  readonly clock: Clock;
  readonly random: Random;
  /** `reportingInstance`: the pod's name. */
  readonly instance: string;
}

const sweepIntervalMs = 60_000;
const idleMs = 6 * 60_000;
const flushIntervalMs = 30 * 60_000;
/** Maximum number of series that are remembered; the least recently used is dropped first. */
const mostSeries = 4_096;
/** A changed note creates a new event (notes cannot be edited), at most once in this interval. */
const noteIntervalMs = 10_000;
/** Rate limit for events of one object, as in client-go, for the most recent objects. */
const perObject = { burst: 25, intervalMs: 5 * 60_000, keys: 4_096 };
/**
 * Rate limit for routine events of all objects together: starting with thousands of resources does not write an event
 * for each.
 */
const routine = { burst: 25, intervalMs: 1_000 };

/**
 * Events of events.k8s.io/v1, written as client-go's recorder does: the first occurrence at once; the second one turns
 * it into a series, at once; later ones are counted, and written every 30 min and when there was none for 6 min.
 * Occurrences are the same if type, action, reason and object are equal. One object gets 25 events at once, then one in
 * 5 min. Its routine events are counted separately, so that they never displace a warning; those of all objects together
 * are limited to 25 at once, then one a second.
 */
export class KubeEventRecorder implements EventRecorder {
  readonly #input: KubeEventRecorderInput;
  readonly #writer: EventWriter;
  /** By uid. */
  readonly #limits = new TokenBuckets(perObject);
  readonly #routineLimits = new TokenBuckets(perObject);
  readonly #routine = new TokenBuckets(routine);
  /** In order of the last repetition, the newest last. */
  readonly #series = new Map<string, EventSeries>();
  #cancelSweep: (() => void) | undefined;
  #overLimit = 0;

  constructor(input: KubeEventRecorderInput) {
    this.#input = input;
    this.#writer = new EventWriter(input);
  }

  record(regarding: LiveObject, { isRoutine = false, ...event }: Announcement): void {
    if (!this.#isLeading()) return;
    if (isRoutine && !this.#routine.take("", this.#input.clock.now())) {
      this.#overLimit++;
      return;
    }
    const key = [
      event.type,
      event.action,
      event.reason,
      regarding.kind,
      keyOf(regarding),
      regarding.metadata.uid,
    ].join(" ");
    const nowMs = this.#input.clock.now();
    const known = this.#series.get(key);
    this.#series.delete(key);
    const isRepeat = known?.takes(event.note, { nowMs, noteIntervalMs }) ?? false;
    const limits = isRoutine ? this.#routineLimits : this.#limits;
    const mayCreate = !isRepeat && limits.take(regarding.metadata.uid, nowMs);
    if (known !== undefined && !mayCreate) {
      this.#series.set(key, known);
      known.repeat(this.#stamp());
      if (known.count === 2) this.#offerSeries(key, known);
      return;
    }
    if (mayCreate) this.#create(key, { regarding, ...event });
    else this.#overLimit++;
    if (known?.hasUnwritten) this.#offerSeries(key, known);
  }

  /** Number of requests that the API server accepted, and of dropped events. */
  get stats(): { readonly written: number; readonly dropped: number } {
    const { written, dropped } = this.#writer;
    return { written, dropped: dropped + this.#overLimit };
  }

  /** Resolves when all recorded events have been written or dropped. */
  async drained(): Promise<void> {
    await this.#writer.drained();
  }

  /** Tries once to write the remaining events, and stops. Call it while this instance still leads. */
  async close(): Promise<void> {
    this.#cancelSweep?.();
    for (const [key, series] of this.#series) if (series.hasUnwritten) this.#offerSeries(key, series);
    await this.#writer.close();
    this.#series.clear();
  }

  #create(key: string, event: RecordedEvent): void {
    const { random, instance } = this.#input;
    const series = new EventSeries(event, { instance, ...this.#stamp(), suffix: hex(random) + hex(random) });
    const isQueued = this.#writer.offer({
      request: () => series.createRequest(),
      onAnswer: (status) => {
        // Rejected (a terminating namespace, a missing permission): the next occurrence counts as the first one.
        if (status === undefined || status >= 300) return this.#forget(key, series);
        series.created();
        // It was delayed, and occurred again in the meantime.
        if (series.hasUnwritten) this.#offerSeries(key, series);
      },
    });
    if (!isQueued) return;
    this.#series.set(key, series);
    if (this.#series.size > mostSeries) this.#dropOldest();
    this.#cancelSweep ??= this.#scheduleSweep();
  }

  #offerSeries(key: string, series: EventSeries): void {
    this.#writer.offer({
      request: () => series.countRequest(),
      onAnswer: (status) => {
        if (status !== undefined && status < 300) series.countWritten(this.#input.clock.now());
        // Events expire after an hour: a series that outlives its event creates a new one.
        else this.#forget(key, series);
      },
    });
  }

  #sweep(): void {
    const nowMs = this.#input.clock.now();
    for (const [key, series] of this.#series) {
      const isIdle = nowMs - series.lastMs >= idleMs;
      if (series.hasUnwritten && (isIdle || nowMs - series.writtenMs >= flushIntervalMs))
        this.#offerSeries(key, series);
      if (isIdle) this.#series.delete(key);
    }
    this.#cancelSweep = this.#series.size === 0 ? undefined : this.#scheduleSweep();
  }

  #scheduleSweep(): () => void {
    return this.#input.clock.schedule(sweepIntervalMs, () => this.#sweep());
  }

  #dropOldest(): void {
    const [oldest] = this.#series.keys();
    if (oldest !== undefined) this.#series.delete(oldest);
  }

  #forget(key: string, series: EventSeries): void {
    if (this.#series.get(key) === series) this.#series.delete(key);
  }

  #stamp(): { nowMs: number; at: Date } {
    const { clock } = this.#input;
    return { nowMs: clock.now(), at: clock.wallClock() };
  }

  #isLeading(): boolean {
    try {
      this.#input.fence.check();
      return true;
    } catch {
      return false;
    }
  }
}

function hex(random: Random): string {
  return Math.floor(random() * 2 ** 32)
    .toString(16)
    .padStart(8, "0");
}
