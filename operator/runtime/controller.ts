import type { Clock, Logger } from "../ports.ts";
import { runWorkers, type WorkersOptions } from "./worker.ts";

const DEFAULT_SYNC_TIMEOUT_MS = 120_000;

/** A watch whose events become keys of the controller's queue. */
export interface ControllerSource {
  /** Name of the kind, such as `echoes.fairlead.dev`, for users. */
  readonly name: string;
  /** Resolves when every object of the first list has been delivered to the handlers. */
  readonly synced: Promise<void>;
  /**
   * Resolves when the copy has the server's state at a time (monotonic clock), if decisions need it, or when the
   * operator ends.
   */
  whenCurrent(asOfMs: number): Promise<void>;
  /** The API server does not serve the kind (yet): the controller waits for it without a limit. */
  readonly isKindMissing: boolean;
  /** Why the last attempt to list failed, for users. */
  readonly lastError?: Error | undefined;
}

/** The leadership of this instance. */
export interface Leadership {
  /** When it began, on the monotonic clock. */
  readonly sinceMs: number;
}

export interface ControllerOptions extends WorkersOptions {
  readonly gate?: Promise<Leadership>;
  readonly sources: readonly ControllerSource[];
  /** How long the first list of a kind that the API server serves may take. */
  readonly syncTimeoutMs?: number;
}

/** The first list of a kind did not complete in time, for example because RBAC forbids it. */
export class SourceSyncError extends Error {
  override readonly name = "SourceSyncError";
}

/**
 * Starts workers when the caches that they need are filled, and the gate is open.
 *
 * @returns Resolves when the queue was shut down and the last reconcile has ended.
 * @throws SourceSyncError that names the kind: the process should end.
 */
export async function runController(options: ControllerOptions): Promise<void> {
  await Promise.race([waitForSources(options), options.queue.closed]);
  const gate = options.gate?.then((leadership) => waitForCurrentCopies(options, leadership));
  await runWorkers({ ...options, ...(gate !== undefined && { gate }) });
}

/** After that, decisions from stale data are better than none. */
const COPIES_TIMEOUT_MS = 30_000;

/**
 * The copies of a standby may be older than those of the previous leader, and it would revert changes of that leader.
 * So a new leader waits until its copies have the server's state at the beginning of its term.
 */
async function waitForCurrentCopies(
  { sources, clock, log }: ControllerOptions,
  { sinceMs }: Leadership,
): Promise<void> {
  const late = Promise.withResolvers<void>();
  const cancel = clock.schedule(COPIES_TIMEOUT_MS, () => {
    log.warn("Timed out waiting for caches; continuing with stale data", { waitedMs: COPIES_TIMEOUT_MS });
    late.resolve();
  });
  await Promise.race([Promise.all(sources.map((source) => source.whenCurrent(sinceMs))), late.promise]);
  cancel();
}

export interface WaitForSourcesOptions {
  readonly sources: readonly ControllerSource[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly syncTimeoutMs?: number;
}

/** @throws SourceSyncError as soon as one source of a kind that exists takes too long. */
export async function waitForSources({
  sources,
  clock,
  log,
  syncTimeoutMs = DEFAULT_SYNC_TIMEOUT_MS,
}: WaitForSourcesOptions): Promise<void> {
  await Promise.all(sources.map((source) => waitForSource(source, { clock, log, syncTimeoutMs })));
}

type WaitForSourceOptions = Omit<Required<WaitForSourcesOptions>, "sources">;

function waitForSource(source: ControllerSource, options: WaitForSourceOptions): Promise<void> {
  const { clock, log, syncTimeoutMs } = options;
  return new Promise((resolve, reject) => {
    let cancel = clock.schedule(syncTimeoutMs, check);
    function check(): void {
      if (!source.isKindMissing) {
        const within = `within ${syncTimeoutMs / 1_000} s`;
        const why = source.lastError === undefined ? "" : `: ${source.lastError.message}`;
        const message = `Cannot start: the list of "${source.name}" was not received ${within}${why}`;
        reject(new SourceSyncError(message, { cause: source.lastError }));
        return;
      }
      log.info("Workers wait for a kind that the API server does not serve", { source: source.name });
      // After its installation the list has the whole time.
      cancel = clock.schedule(syncTimeoutMs, check);
    }
    source.synced.then(resolve, reject).finally(() => cancel());
  });
}
