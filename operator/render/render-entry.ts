import { RenderEndedError, SourceError, type SourceFailure } from "../errors.ts";
import { delayAfterFailures } from "../runtime/backoff.ts";
import { MemoryQuotaError } from "./kept-renders.ts";
import type { RenderRequest, RenderState } from "./ports.ts";

/** One render that resources asked for, and what came of it. */
export interface RenderEntry {
  readonly id: string;
  /** The newest of those that ask for it. */
  request: RenderRequest;
  state: RenderState;
  /** Keys of the resources whose current render it is. */
  readonly users: Set<string>;
  /** Takes the render out of the queue it waits in; undefined: it does not wait. */
  leaveQueue: (() => void) | undefined;
  /** While it runs: cancels it because the result is no longer needed. */
  running: AbortController | undefined;
  /** Failures in a row that may pass by themselves. */
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

/** Whether a request is identical to the one before, as long as nothing changes. */
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

/** The failure that a condition shows. */
export function failureOf(error: unknown): SourceFailure {
  if (error instanceof SourceError) return error.failure;
  // Errors of the system name files of the operator's machine, which are no business of a resource's readers.
  return {
    reason: "RenderFailed",
    message:
      "the source could not be rendered because of an internal error (see the operator's log); retrying",
  };
}

/** Delays after failures of the operator's own; they pass soon. */
const ownFailures = { initialMs: 1_000, factor: 2, capMs: 60_000 };
/** Delays after renders that use as much again. */
const costlyFailures = { initialMs: 5 * 60_000, factor: 3, capMs: 6 * 60 * 60_000 };

/**
 * When a failed render may be tried again although nothing changed; undefined: not before something does. What the
 * machine did (no memory, a repository that is fetched anew) passes soon; a program that ran out of time may have had
 * a bad moment, and costs as much again; and for objects that found no room there may be room later.
 *
 * @param failures In a row, this one included.
 */
export function retryDelayMs(error: unknown, isProgram: boolean, failures: number): number | undefined {
  const isOwn = !(error instanceof SourceError) || error.reason.startsWith("Source");
  if (isOwn) return delayAfterFailures(failures, ownFailures);
  const isCostly = error instanceof MemoryQuotaError || error instanceof RenderEndedError;
  if (isCostly || (isProgram && error.reason === "RenderLimit")) {
    return delayAfterFailures(failures, costlyFailures);
  }
  return undefined;
}
