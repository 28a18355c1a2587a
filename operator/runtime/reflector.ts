import type { LiveObject } from "../../crds/object.ts";
import { WatchError } from "../errors.ts";
import type { Clock, Logger, Random } from "../ports.ts";
import { Backoff } from "./backoff.ts";
import { Freshness } from "./freshness.ts";
import { InitialEvents } from "./initial-events.ts";
import { listPages } from "./list-pages.ts";
import type { WatchEvent, WatchSource } from "./ports.ts";
import { decideNext, type Next, type Outcome, type Step } from "./reflector-next.ts";
import { complaints, describeFailure, levelOf, type ReflectorState } from "./reflector-state.ts";
import { sleep } from "./sleep.ts";
import type { WatchedStore } from "./store.ts";
import { SyncedGate } from "./synced-gate.ts";
import { followWatch, type WatchStreamInput } from "./watch-stream.ts";

/** As in client-go, so that an overloaded server gets no more requests than from client-go. */
const backoff = { initialMs: 800, factor: 2, capMs: 30_000, jitter: 1, resetAfterMs: 120_000 };
const shortestTimeoutSeconds = 300;
const missingKindWaitMs = 10_000;

export interface ReflectorInput {
  readonly source: WatchSource;
  readonly store: WatchedStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** How long to wait for a kind that is not served, each time. Default: 10 s. */
  readonly missingKindWaitMs?: () => number;
}

/** Keeps a store equal to the server's content while it runs (client-go's `Reflector`). */
export class Reflector {
  readonly #source: WatchSource;
  readonly #store: WatchedStore;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Logger;
  readonly #backoff: Backoff;
  readonly #missingKindWaitMs: () => number;
  readonly #listeners: (() => void)[] = [];
  #state: ReflectorState = { state: "starting", message: "" };
  readonly #watching = new SyncedGate();
  readonly #freshness = new Freshness();
  /** Ends the current list, watch or pause, and nothing else. */
  #attempt = new AbortController();
  /** The store has everything up to this version; empty before the first list. */
  #resourceVersion = "";
  #versionUnusable = false;
  /** False while the events of a watch are unordered, so that none of them shows the version of the store. */
  #ordered = true;
  #pagingForced = false;
  #watchList: "trusted" | "distrusted" | "unsupported" = "trusted";

  constructor({ source, store, clock, random, log, ...input }: ReflectorInput) {
    this.#source = source;
    this.#store = store;
    this.#clock = clock;
    this.#random = random;
    this.#log = log.child({ kind: source.kind.kind, group: source.kind.group });
    this.#backoff = new Backoff(backoff, random);
    this.#missingKindWaitMs = input.missingKindWaitMs ?? (() => missingKindWaitMs);
  }

  get state(): ReflectorState {
    return this.#state;
  }

  /**
   * Resolves when a watch keeps the store up to date: now, or after a failed watch has been restarted. Rejects when the
   * signal aborts.
   */
  whenWatching(signal: AbortSignal): Promise<void> {
    return this.#watching.whenOpen(signal);
  }

  /**
   * Resolves when the store has the server's state at `asOfMs` (monotonic clock), and a watch keeps it up to date;
   * lists everything again if necessary, because an open watch may be behind. Rejects when the signal aborts.
   */
  async whenCurrent(asOfMs: number, signal: AbortSignal): Promise<void> {
    if (this.#freshness.want(asOfMs)) this.#attempt.abort();
    await this.#freshness.whenMet(signal);
    await this.#watching.whenOpen(signal);
  }

  /** Whether a caller needs a newer state than the store has; see {@link whenCurrent}. */
  get isBehind(): boolean {
    return this.#freshness.isBehind;
  }

  /** Calls `listener` when {@link state} has changed. */
  onState(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Runs until the signal aborts. Never rejects: every failure is retried. */
  async run(signal: AbortSignal): Promise<void> {
    let step: Step = "fill";
    while (!signal.aborted) {
      this.#attempt = new AbortController();
      const attempt = AbortSignal.any([signal, this.#attempt.signal]);
      if (this.#freshness.isBehind) {
        this.#versionUnusable = true;
        if (step === "watch") step = "fill";
      }
      const outcome = await this.#take(step, attempt);
      if (attempt.aborted) continue;
      const next = decideNext(outcome);
      this.#learn(outcome, next);
      step = next.step;
      const waitMs = this.#waitMs(outcome, next);
      if (waitMs > 0) await sleep(waitMs, { clock: this.#clock, signal: attempt });
    }
  }

  #take(step: Step, signal: AbortSignal): Promise<Outcome> {
    if (step === "watch") return this.#watch(signal);
    return step === "fill" && this.#watchList === "trusted" ? this.#watchInitial(signal) : this.#list(signal);
  }

  async #list(signal: AbortSignal): Promise<Outcome> {
    const resourceVersion = this.#versionUnusable ? "" : this.#resourceVersion || "0";
    const outcome = { by: "list", resourceVersion, received: true, lasted: true } as const;
    this.#freshness.asked({ resourceVersion, askedMs: this.#clock.now() });
    try {
      const listed = await listPages({
        source: this.#source,
        resourceVersion,
        pagingForced: this.#pagingForced,
        prepare: (object) => this.#store.prepare(object),
        signal,
      });
      if (signal.aborted) return { ...outcome, filled: false, error: undefined };
      // A page, although its cache would have returned everything: it has no watch cache.
      if (resourceVersion === "0" && listed.paged) this.#pagingForced = true;
      await this.#fill(listed.objects, listed.resourceVersion);
      return { ...outcome, filled: true, error: undefined };
    } catch (error) {
      return { ...outcome, filled: false, error };
    }
  }

  async #watch(signal: AbortSignal): Promise<Outcome> {
    const resourceVersion = this.#resourceVersion;
    this.#ordered = resourceVersion !== "" && resourceVersion !== "0";
    const end = await this.#follow({ resourceVersion, sendInitialEvents: false, signal }, (event) =>
      this.#apply(event),
    );
    return { ...end, by: "watch", resourceVersion, filled: true };
  }

  /** Gets all objects through a watch, which then continues. */
  async #watchInitial(signal: AbortSignal): Promise<Outcome> {
    const resourceVersion = this.#versionUnusable ? "" : this.#resourceVersion;
    this.#freshness.asked({ resourceVersion, askedMs: this.#clock.now() });
    const stalled = new AbortController();
    let filled = false;
    const initial = new InitialEvents({
      clock: this.#clock,
      log: this.#log,
      prepare: (object) => this.#store.prepare(object),
      onStall: () => stalled.abort(),
    });
    const stop = AbortSignal.any([signal, stalled.signal]);
    const end = await this.#follow({ resourceVersion, sendInitialEvents: true, signal: stop }, (event) => {
      if (filled) return this.#apply(event);
      if (event.type !== "BOOKMARK") return initial.add(event);
      if (!event.initialEventsEnd) return;
      filled = true;
      initial.stop();
      return this.#fill(initial.take(), event.resourceVersion);
    });
    initial.stop();
    const error = stalled.signal.aborted ? stall() : end.error;
    return { ...end, by: "watch-list", resourceVersion, filled, error };
  }

  #follow(
    params: { resourceVersion: string; sendInitialEvents: boolean; signal: AbortSignal },
    onEvent: WatchStreamInput["onEvent"],
  ): ReturnType<typeof followWatch> {
    return followWatch({
      source: this.#source,
      clock: this.#clock,
      log: this.#log,
      // Spread out, so that not all watches of all clients end at once.
      timeoutSeconds: Math.floor(shortestTimeoutSeconds * (1 + this.#random())),
      ...params,
      onEvent,
      onLasting: () => this.#lasting(params.sendInitialEvents),
    });
  }

  async #fill(objects: ReadonlyMap<string, LiveObject>, resourceVersion: string): Promise<void> {
    await this.#store.replace(objects, resourceVersion);
    this.#freshness.answered();
    this.#resourceVersion = resourceVersion;
    this.#versionUnusable = false;
    this.#ordered = true;
    this.#enter({ state: "synced", message: "" });
  }

  #apply(event: Exclude<WatchEvent, { type: "ERROR" }>): undefined {
    this.#store.apply(event);
    if (event.type !== "ADDED") this.#ordered = true;
    if (!this.#ordered) return;
    this.#resourceVersion =
      event.type === "BOOKMARK" ? event.resourceVersion : event.object.metadata.resourceVersion;
  }

  #lasting(initial: boolean): void {
    if (!initial && this.#watchList === "distrusted") this.#watchList = "trusted";
    if (this.#store.hasSynced) this.#enter({ state: "synced", message: "" });
  }

  #learn({ by, error }: Outcome, { finding, versionUnusable, watchList }: Next): void {
    if (versionUnusable) this.#versionUnusable = true;
    if (watchList !== undefined) this.#watchList = watchList;
    if (finding === "missing") this.#store.loseKind();
    if (finding !== undefined) {
      const verb = by === "list" ? "list" : "watch";
      const [{ kind }, before, nowMs] = [this.#source, this.#state, this.#clock.now()];
      this.#enter(describeFailure(finding, { kind, verb, error, before, nowMs }));
    }
    if (error !== undefined) this.#log.debug("A list or watch ended", { by, error });
  }

  #enter(state: ReflectorState): void {
    const { state: before } = this.#state;
    this.#state = state;
    if (state.state === "synced") this.#watching.open();
    else this.#watching.close();
    // Once per change, and not again at every attempt.
    if (state.state === before) return;
    if (state.state === "synced") this.#log.info("Watching");
    else this.#log[levelOf(state)](complaints[state.state], { why: state.message });
    for (const notify of this.#listeners) notify();
  }

  #waitMs({ error }: Outcome, { wait }: Next): number {
    if (wait === "none") return 0;
    if (wait === "kind") return this.#missingKindWaitMs();
    const asked = error instanceof WatchError ? (error.retryAfterMs ?? 0) : 0;
    return Math.max(asked, this.#backoff.next(this.#clock.now()));
  }
}

function stall(): WatchError {
  return new WatchError("the end of the initial events was never announced", { status: 422 });
}
