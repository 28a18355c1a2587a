import type { Clock } from "../ports.ts";
import { Alarm } from "./alarm.ts";
import { BackoffByKey } from "./backoff.ts";
import { FairTurns } from "./fair-turns.ts";
import { Heap } from "./heap.ts";
import { comesBefore, type QueueEntry } from "./queue-entry.ts";

/** Maximum number of keys that become due at once; the others wait for the next turn, so that slices are short. */
const DUE_PER_TURN = 5_000;

/** Delays of a key that fails repeatedly, as in client-go: 5 ms, 10 ms, 20 ms, … 1000 s. */
const retries = { initialMs: 5, factor: 2, capMs: 1_000_000 };

/**
 * Receives values that are only known at the time of an event; everything else is read from {@link WorkQueue.measure}.
 */
export interface QueueObserver {
  /** A worker got a key, this time after it became ready. */
  taken(waitedMs: number): void;
  /** A key was processed for this time. */
  finished(workedMs: number): void;
}

export type WorkQueueOptions = { readonly clock: Clock; readonly observer?: QueueObserver };

export interface AddOptions {
  /** Higher is first. Objects of an initial list have -100, all others 0. */
  readonly priority?: number;
  /** Not before this delay. */
  readonly afterMs?: number;
}

/** A key that a worker processes, until `done`. */
export interface Handout {
  readonly key: string;
  readonly priority: number;
}

export interface QueueMeasure {
  /** Keys that are ready or wait for their own run to end, by priority; delayed ones do not count. */
  readonly depths: ReadonlyMap<number, number>;
  readonly added: number;
  readonly retried: number;
  /** Sum and maximum of the processing times so far of the keys in progress. */
  readonly unfinishedMs: number;
  readonly longestRunningMs: number;
}

/**
 * Keys to reconcile, as in controller-runtime's priority queue: the highest priority first; at most one worker has a
 * key, and after additions during its run it runs once more. A queued key keeps the higher priority and the earlier
 * time. Within a priority namespaces take turns ({@link FairTurns}), and the keys of a namespace are in order of
 * arrival. No operation is slower than O(log n).
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #observer: QueueObserver | undefined;
  readonly #entries = new Map<string, QueueEntry>();
  readonly #turns = new FairTurns();
  readonly #ready = new Heap<QueueEntry>(comesBefore);
  readonly #waiting = new Heap<QueueEntry>((a, b) =>
    a.atMs === b.atMs ? a.arrival < b.arrival : a.atMs < b.atMs,
  );
  readonly #inHandsSinceMs = new Map<string, number>();
  readonly #retryDelays = new BackoffByKey(retries);
  readonly #takers: ((handout: Handout | undefined) => void)[] = [];
  readonly #depths = new Map<number, number>();
  readonly #alarm: Alarm;
  readonly #closed = Promise.withResolvers<void>();
  #arrivals = 0;
  #added = 0;
  #retried = 0;
  #isShutDown = false;

  constructor({ clock, observer }: WorkQueueOptions) {
    this.#clock = clock;
    this.#observer = observer;
    this.#alarm = new Alarm(clock, () => this.#wakeDue());
  }

  /** Resolves when the queue is shut down. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Adds a key, now or later. Ignored after {@link shutDown}. */
  add(key: string, { priority = 0, afterMs = 0 }: AddOptions = {}): void {
    if (this.#isShutDown) return;
    const nowMs = this.#clock.now();
    const entry = this.#entries.get(key);
    if (entry === undefined) this.#insert(key, priority, nowMs, afterMs);
    else this.#merge(entry, priority, nowMs, afterMs);
    this.#handOut();
  }

  /** Adds a key after a delay that doubles with every call until {@link forget}. @returns That delay. */
  retry(key: string, options: Pick<AddOptions, "priority"> = {}): number {
    if (this.#isShutDown) return 0;
    this.#retried++;
    const afterMs = this.#retryDelays.next(key);
    this.add(key, { ...options, afterMs });
    return afterMs;
  }

  /** Resets the delay of the key's next retry to the shortest. */
  forget(key: string): void {
    this.#retryDelays.forget(key);
  }

  /** The next key, when there is one; call {@link done} with it. Undefined: the queue was shut down. */
  take(): Promise<Handout | undefined> {
    if (this.#isShutDown) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#takers.push(resolve);
      this.#handOut();
    });
  }

  /** The key was processed, and a worker may get it again. */
  done(key: string): void {
    const sinceMs = this.#inHandsSinceMs.get(key);
    if (sinceMs === undefined) return;
    this.#inHandsSinceMs.delete(key);
    this.#observer?.finished(this.#clock.now() - sinceMs);
    const entry = this.#entries.get(key);
    if (entry?.place !== "held") return;
    entry.place = "ready";
    this.#ready.push(entry);
    this.#handOut();
  }

  /** Drops queued keys and releases all waiting workers. Keys in progress are kept. */
  shutDown(): void {
    this.#isShutDown = true;
    this.#alarm.clear();
    this.#ready.clear();
    this.#waiting.clear();
    this.#entries.clear();
    this.#depths.clear();
    for (const resolve of this.#takers.splice(0)) resolve(undefined);
    this.#closed.resolve();
  }

  measure(): QueueMeasure {
    const nowMs = this.#clock.now();
    const agesMs = [...this.#inHandsSinceMs.values()].map((sinceMs) => nowMs - sinceMs);
    return {
      depths: this.#depths,
      added: this.#added,
      retried: this.#retried,
      unfinishedMs: agesMs.reduce((sum, ageMs) => sum + ageMs, 0),
      longestRunningMs: Math.max(0, ...agesMs),
    };
  }

  #insert(key: string, priority: number, nowMs: number, afterMs: number): void {
    const entry: QueueEntry = {
      key,
      priority,
      atMs: nowMs + afterMs,
      turn: 0,
      arrival: 0,
      place: "waiting",
      heapIndex: -1,
    };
    this.#entries.set(key, entry);
    if (afterMs > 0) this.#wait(entry);
    else this.#makeReady(entry, nowMs);
  }

  #merge(entry: QueueEntry, priority: number, nowMs: number, afterMs: number): void {
    if (entry.place !== "waiting") {
      this.#raise(entry, priority);
      return;
    }
    entry.priority = Math.max(entry.priority, priority);
    if (afterMs <= 0) {
      this.#waiting.remove(entry);
      this.#makeReady(entry, nowMs);
    } else if (nowMs + afterMs < entry.atMs) {
      entry.atMs = nowMs + afterMs;
      this.#waiting.reorder(entry);
      this.#alarm.setFor(entry.atMs);
    }
  }

  /** Moves the key to the end of the higher level; a lower priority has no effect. */
  #raise(entry: QueueEntry, priority: number): void {
    if (priority <= entry.priority) return;
    this.#count(entry.priority, -1);
    this.#count(priority, 1);
    entry.priority = priority;
    this.#takeTurn(entry);
    if (entry.place === "ready") this.#ready.reorder(entry);
  }

  #wait(entry: QueueEntry): void {
    entry.arrival = this.#arrivals++;
    this.#waiting.push(entry);
    this.#alarm.setFor(entry.atMs);
  }

  #makeReady(entry: QueueEntry, nowMs: number): void {
    this.#added++;
    this.#count(entry.priority, 1);
    entry.atMs = nowMs;
    this.#takeTurn(entry);
    entry.place = this.#inHandsSinceMs.has(entry.key) ? "held" : "ready";
    if (entry.place === "ready") this.#ready.push(entry);
  }

  #takeTurn(entry: QueueEntry): void {
    entry.turn = this.#turns.give(entry.key, entry.priority);
    entry.arrival = this.#arrivals++;
  }

  #handOut(): void {
    while (this.#takers.length > 0) {
      const entry = this.#ready.pop();
      if (entry === undefined) return;
      const { key, priority, atMs, turn } = entry;
      this.#turns.pass(turn, priority);
      const nowMs = this.#clock.now();
      this.#entries.delete(key);
      this.#count(priority, -1);
      this.#inHandsSinceMs.set(key, nowMs);
      this.#observer?.taken(nowMs - atMs);
      this.#takers.shift()?.({ key, priority });
    }
  }

  #wakeDue(): void {
    const nowMs = this.#clock.now();
    for (let count = 0; count < DUE_PER_TURN; count++) {
      const entry = this.#waiting.peek();
      if (entry === undefined || entry.atMs > nowMs) break;
      this.#waiting.pop();
      this.#makeReady(entry, nowMs);
    }
    const next = this.#waiting.peek();
    if (next !== undefined) this.#alarm.setFor(next.atMs);
    this.#handOut();
  }

  #count(priority: number, change: number): void {
    const depth = (this.#depths.get(priority) ?? 0) + change;
    if (depth === 0) this.#depths.delete(priority);
    else this.#depths.set(priority, depth);
  }
}
