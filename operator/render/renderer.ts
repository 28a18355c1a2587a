import { SourceError } from "../errors.ts";
import type { Clock, Logger } from "../ports.ts";
import { IdleRenders, sizeOf } from "./idle-renders.ts";
import { KeptRenders, type KeptRendersLimits } from "./kept-renders.ts";
import type { Rendered, Renderer, RenderRequest, RenderState, RunPatience } from "./ports.ts";
import {
  failureOf,
  isLimit,
  isSameFailure,
  isSameRequest,
  newEntry,
  type RenderEntry,
  retryDelayMs,
} from "./render-entry.ts";
import { RenderQueue, type RenderTurn } from "./render-queue.ts";
import type { RenderRunner } from "./render-runner.ts";
import { checkWay, renderIdOf } from "./render-task.ts";

export interface RendererOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly runner: Pick<RenderRunner, "run">;
  /** Called when the answer for this resource has changed. */
  readonly onChange: (key: string) => void;
  /** Called after each executed render. */
  readonly observe?: (run: RenderRun) => void;
  /** Maximum memory of renders that no resource uses, in bytes, as estimated. Default: 16 MiB. */
  readonly idleLimit?: number;
  /** Maximum memory of renders in use. Default: no limit. */
  readonly keptLimits?: KeptRendersLimits;
  /** Maximum duration of a run of a program, overriding the resource's own timeout. Default: no limit. */
  readonly longestProgramMs?: number;
}

/** One render, for metrics. */
export interface RenderRun {
  readonly way: "manifests" | "program";
  readonly outcome: "ready" | "failed";
  readonly durationMs: number;
}

const without = Number.POSITIVE_INFINITY;
/** A resource whose program ran this long, or exceeded a limit, is queued with the other slow ones of its namespace. */
const SLOW_PROGRAM_MS = 2_000;

/** Options of {@link CachedRenderer}. */
export function createRenderer(options: RendererOptions): Renderer {
  return new CachedRenderer(options);
}

/** Renders in the background, each input once, and notifies its users of the answer. */
class CachedRenderer implements Renderer {
  readonly #options: RendererOptions;
  readonly #entries = new Map<string, RenderEntry>();
  /** Current render by the key of a resource. */
  readonly #current = new Map<string, RenderEntry>();
  readonly #idle: IdleRenders;
  readonly #kept: KeptRenders;
  readonly #queue: RenderQueue;
  #isClosed = false;

  constructor(options: RendererOptions) {
    this.#options = options;
    this.#idle = new IdleRenders({ limit: options.idleLimit ?? 16 * 1_048_576 });
    this.#kept = new KeptRenders(options.keptLimits ?? { all: without, perNamespace: without });
    const { clock, longestProgramMs = without } = options;
    const onUsedUp = (namespace: string): void => this.#postpone(namespace);
    this.#queue = new RenderQueue({ clock, longestProgramMs, onUsedUp });
  }

  render(request: RenderRequest): RenderState {
    const { key } = request;
    const before = this.#current.get(key);
    if (before !== undefined && isSameRequest(before.request, request)) return before.state;
    const id = renderIdOf(request);
    const entry = this.#entries.getOrInsertComputed(id, () => newEntry(id, request));
    entry.request = request;
    if (before !== entry) {
      entry.users.add(key);
      this.#current.set(key, entry);
      this.#idle.remove(id);
      if (before !== undefined) this.#leave(key, before);
      this.#keepAgain(entry);
    }
    const isUnbegun =
      entry.state.state === "pending" && entry.running === undefined && entry.leaveQueue === undefined;
    this.#queue.quotas.limit(request.namespace, request.programQuota);
    if (isUnbegun) {
      this.#enqueue(entry);
      this.#postponeOne(entry);
    }
    return entry.state;
  }

  forget(key: string): void {
    const entry = this.#current.get(key);
    this.#current.delete(key);
    this.#queue.slowKeys.delete(key);
    if (entry !== undefined) this.#leave(key, entry);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const entry of this.#entries.values()) {
      entry.leaveQueue?.();
      entry.cancelRetry?.();
    }
  }

  #leave(key: string, entry: RenderEntry): void {
    entry.users.delete(key);
    if (entry.users.size > 0) return;
    // A running render is removed at its end, which the abort causes earlier if it runs long.
    if (entry.running !== undefined) {
      entry.running.abort();
      return;
    }
    entry.leaveQueue?.();
    entry.leaveQueue = undefined;
    entry.cancelRetry?.();
    entry.cancelRetry = undefined;
    this.#rest(entry);
  }

  /** Keeps a result that may be requested again, unless it is a failure that a retry might fix. */
  #rest(entry: RenderEntry): void {
    this.#kept.remove(entry.id);
    if (/pending|waiting/.test(entry.state.state) || entry.failures > 0) this.#entries.delete(entry.id);
    else for (const id of this.#idle.add(entry)) this.#entries.delete(id);
  }

  #enqueue(entry: RenderEntry): void {
    if (this.#isClosed) return;
    const leave = this.#queue.ask(entry.request, (turn) => void this.#run(entry, turn));
    // The render may have started at once.
    if (entry.running === undefined) entry.leaveQueue = leave;
  }

  /** The quota of a namespace is used up: the renders that wait for it report until when. */
  #postpone(namespace: string): void {
    for (const entry of this.#entries.values())
      if (entry.request.namespace === namespace) this.#postponeOne(entry);
  }

  #postponeOne(entry: RenderEntry): void {
    const { namespace, render } = entry.request;
    const failure = this.#queue.quotas.failureOf(namespace);
    const waits = render.program !== undefined && /pending|waiting/.test(entry.state.state);
    if (failure === undefined || !waits || entry.running !== undefined) return;
    if (isSameFailure(entry.state, failure)) return;
    entry.state = { state: "waiting", failure };
    for (const key of entry.users) this.#options.onChange(key);
  }

  async #run(entry: RenderEntry, turn: RenderTurn): Promise<void> {
    const { clock, runner, observe } = this.#options;
    const beganMs = clock.now();
    const way = entry.request.render.program === undefined ? "manifests" : "program";
    entry.leaveQueue = undefined;
    const running = new AbortController();
    entry.running = running;
    let error: unknown;
    let state: Extract<RenderState, { readonly state: "ready" }> | undefined;
    try {
      checkWay(entry.request.render);
      const patience = this.#patienceWith(entry.request.key, running.signal, turn);
      const rendered = await runner.run(entry.request, patience);
      this.#keep(entry, rendered);
      state = { state: "ready", rendered };
    } catch (thrown) {
      error = thrown;
    }
    const isCancelled = state === undefined && running.signal.aborted;
    turn.end({ isWasted: isCancelled || isLimit(error) });
    if (this.#isClosed) return;
    if (isCancelled) return this.#restart(entry);
    const durationMs = clock.now() - beganMs;
    observe?.({ way, outcome: state?.state ?? "failed", durationMs });
    if (way === "program") this.#noteSpeed(entry, durationMs, error);
    if (state === undefined) this.#fail(entry, error);
    else this.#settle(entry, state);
  }

  /** Counts a render again that no resource used for a while. */
  #keepAgain(entry: RenderEntry): void {
    if (entry.state.state !== "ready" || entry.users.size > 1) return;
    try {
      this.#keep(entry, entry.state.rendered);
    } catch (error) {
      this.#fail(entry, error);
    }
  }

  /** @throws MemoryQuotaError */
  #keep({ id, users, request: { namespace } }: RenderEntry, rendered: Rendered): void {
    if (users.size > 0) this.#kept.add(id, { namespace, bytes: sizeOf(rendered) });
  }

  /** A run was cancelled because its result was not needed; it may be needed again. */
  #restart(entry: RenderEntry): void {
    entry.running = undefined;
    if (entry.users.size > 0) {
      this.#enqueue(entry);
      this.#postponeOne(entry);
    } else this.#rest(entry);
  }

  #patienceWith(key: string, unwanted: AbortSignal, turn: RenderTurn): RunPatience {
    const onSlow = (): void => {
      if (this.#current.has(key)) this.#queue.slowKeys.add(key);
    };
    return { unwanted, isSlow: this.#queue.slowKeys.has(key), onSlow, ...turn.callbacks };
  }

  /** All resources of an entry have the same program and inputs. */
  #noteSpeed({ users }: RenderEntry, durationMs: number, error: unknown): void {
    const isSlow = isLimit(error) || durationMs > SLOW_PROGRAM_MS;
    for (const key of users) {
      if (isSlow) this.#queue.slowKeys.add(key);
      else this.#queue.slowKeys.delete(key);
    }
  }

  #fail(entry: RenderEntry, error: unknown): void {
    const { clock, log } = this.#options;
    const { key, render } = entry.request;
    const failure = failureOf(error);
    const delayMs = retryDelayMs(error, render.program !== undefined, entry.failures + 1);
    entry.failures = delayMs === undefined ? 0 : entry.failures + 1;
    const fields = { release: key, reason: failure.reason, error };
    if (error instanceof SourceError) log.info("Cannot render a Release", fields);
    else log.error("Cannot render a Release because of an internal error", fields);
    if (delayMs !== undefined && entry.users.size > 0) {
      entry.cancelRetry = clock.schedule(delayMs, () => {
        entry.cancelRetry = undefined;
        this.#enqueue(entry);
      });
    }
    this.#settle(entry, isSameFailure(entry.state, failure) ? entry.state : { state: "failed", failure });
  }

  #settle(entry: RenderEntry, state: RenderState): void {
    const isNews = entry.state !== state;
    entry.state = state;
    entry.running = undefined;
    if (state.state === "ready") entry.failures = 0;
    if (entry.users.size === 0) this.#rest(entry);
    if (isNews) for (const key of [...entry.users]) this.#options.onChange(key);
  }
}
