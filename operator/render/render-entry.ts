import { RenderEndedError, SourceError, type SourceFailure } from "../errors.ts";
import { delayAfterFailures } from "../runtime/backoff.ts";
import { MemoryQuotaError } from "./kept-renders.ts";
import type { RenderRequest, RenderState } from "./ports.ts";

/** One render that resources requested, and its result. */
export interface RenderEntry {
  readonly id: string;
  /** The newest resource that requests it. */
  request: RenderRequest;
  state: RenderState;
  /** Keys of the resources whose current render it is. */
  readonly users: Set<string>;
  /** Removes the render from its queue; undefined: it is not queued. */
  leaveQueue: (() => void) | undefined;
  /** Set while it runs: cancels it because the result is no longer needed. */
  running: AbortController | undefined;
  /** Number of consecutive failures that a retry may fix. */
  failures: number;
  cancelRetry: (() => void) | undefined;
}

export function newEntry(id: string, request: RenderRequest): RenderEntry {
  return {
    id,
    request,
    state: { state: "pending" },
    users: new Set(),
    leaveQueue: undefined,
    running: undefined,
    failures: 0,
    cancelRetry: undefined,
  };
}

/** Whether a request is identical to the previous one, while nothing changes. */
export function isSameRequest(before: RenderRequest, now: RenderRequest): boolean {
  return (
    before.render === now.render &&
    before.programQuota?.value === now.programQuota?.value &&
    before.programQuota?.from === now.programQuota?.from &&
    before.revision.tree === now.revision.tree &&
    before.revision.repositoryId === now.revision.repositoryId
  );
}

export function isSameFailure(state: RenderState, failure: SourceFailure): boolean {
  return (
    (state.state === "failed" || state.state === "waiting") &&
    state.failure.reason === failure.reason &&
    state.failure.message === failure.message
  );
}

/** Whether a render failed because it reached a limit of its own: the memory for all renders in use depends on others, too. */
export function isLimit(error: unknown): boolean {
  if (error instanceof MemoryQuotaError) return false;
  return error instanceof SourceError && error.reason === "RenderLimit";
}

/** The failure that a condition shows. */
export function failureOf(error: unknown): SourceFailure {
  if (error instanceof SourceError) return error.failure;
  // System errors name files of the operator's machine, which users of a resource must not see.
  return {
    reason: "RenderFailed",
    message:
      "the source could not be rendered because of an internal error (see the operator's log); retrying",
  };
}

/** Delays after failures of the operator itself, which are usually short. */
const ownFailures = { initialMs: 1_000, factor: 2, capMs: 60_000 };
/** Delays after renders whose retry costs as much again. */
const costlyFailures = { initialMs: 5 * 60_000, factor: 3, capMs: 6 * 60 * 60_000 };

/**
 * Delay until a failed render is retried although nothing changed; undefined: no retry before a change. Failures of the
 * machine (no memory, a repository that is fetched again) are retried soon. A program that exceeded its time may succeed
 * later, and its retry costs as much again. Objects that exceeded the memory limit may fit later.
 *
 * @param failures Number of consecutive failures, including this one.
 */
export function retryDelayMs(error: unknown, isProgram: boolean, failures: number): number | undefined {
  const isOwn = !(error instanceof SourceError) || error.reason.startsWith("Source");
  if (isOwn) return delayAfterFailures(failures, ownFailures);
  const isCostly = error instanceof MemoryQuotaError || error instanceof RenderEndedError;
  if (isCostly || (isProgram && isLimit(error))) {
    return delayAfterFailures(failures, costlyFailures);
  }
  return undefined;
}
