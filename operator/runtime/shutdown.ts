import type { Clock, Logger } from "../ports.ts";
import { withTimeout } from "./with-timeout.ts";

const DEFAULT_GRACE_MS = 30_000;

/** A git remote that hangs must not delay the release of the lease: the next leader pushes the rest. */
const PART_MS = 15_000;

/** `signal`: requested from outside. `lost-lease`, `failed`: we may not, or cannot, continue. */
export type ShutdownCause = "signal" | "lost-lease" | "failed";

/** The parts to end, in this order. Each is called at most once. */
export interface ShutdownParts {
  /** Queues return no further keys; resolves when the last running reconcile has ended. */
  stopWorkers(): Promise<void>;
  /** Aborts the signals of the reconciles that still run. */
  abortReconciles(reason: Error): void;
  /** The lease is no longer renewed, and nothing is written any more; it is not released, but expires. */
  stopRenewing(): void;
  /** Reflectors end. A running reconcile still reads their stores, so they come after the workers. */
  stopSources(): Promise<void>;
  /** Pushes the manifests that wait to be published. Ends when the signal aborts, and writes nothing afterwards. */
  flush(signal: AbortSignal): Promise<void>;
  /** Releases the lease: nothing is written from here on. */
  release(): Promise<void>;
  /** Probes and metrics. */
  closeServers(): Promise<void>;
}

export interface ShutdownOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** How long the reconciles may take to end. 0: do not wait; negative: no limit. */
  readonly graceMs?: number;
}

/**
 * Ends the operator in a safe order: nothing is written after the lease was released. If the reconciles do not end in
 * time, the lease expires. After a loss of the lease, everything ends at once, without waiting.
 *
 * @returns The exit code of the process: 0 only if a stop was requested and all reconciles ended in time.
 */
export async function shutDown(
  cause: ShutdownCause,
  parts: ShutdownParts,
  { clock, log, graceMs = DEFAULT_GRACE_MS }: ShutdownOptions,
): Promise<0 | 1> {
  log.info("Shutting down", { cause });
  const attempt = async (part: string, action: () => Promise<void>): Promise<boolean> => {
    try {
      await action();
      return true;
    } catch (error) {
      log.error("Cannot shut a part down", { part, error });
      return false;
    }
  };
  if (cause === "lost-lease") {
    parts.abortReconciles(new Error("The lease was lost"));
    // Otherwise watches, servers and git would prevent the process from exiting.
    void attempt("workers", () => parts.stopWorkers());
    void attempt("sources", () => parts.stopSources());
    void attempt("publisher", () => parts.flush(AbortSignal.abort()));
    void attempt("servers", () => parts.closeServers());
    return 1;
  }
  const limit = (timeoutMs: number, action: (signal: AbortSignal) => Promise<void>): Promise<void> =>
    withTimeout(action, { clock, timeoutMs });
  const hasEnded = await attempt("workers", () =>
    limit(graceMs < 0 ? Infinity : graceMs, () => parts.stopWorkers()),
  );
  if (!hasEnded) {
    parts.abortReconciles(new Error("The operator is shutting down"));
    // Its client is closed with the servers.
    parts.stopRenewing();
  }
  await attempt("sources", () => limit(PART_MS, () => parts.stopSources()));
  if (hasEnded) {
    await attempt("publisher", () => limit(PART_MS, (signal) => parts.flush(signal)));
    await attempt("lease", () => parts.release());
  }
  await attempt("servers", () => limit(PART_MS, () => parts.closeServers()));
  return hasEnded && cause === "signal" ? 0 : 1;
}
