import type { SourceFailure } from "../../errors.ts";
import type { SourceRevision, SourceState } from "./ports.ts";

/** The answer to a resource, and the results of its requests. */
export interface AnswerInput {
  /** The previous answer. */
  readonly before: SourceState;
  readonly now: SourceRevision | SourceFailure;
  /** The remote could not be polled. */
  readonly outage: SourceFailure | undefined;
  readonly handledRequest: string | undefined;
}

/** The next answer: after the first good state, that state stays, and a later failure is reported with it. Pure. */
export function answerOf({ before, now, outage, handledRequest }: AnswerInput): SourceState {
  if (!("reason" in now)) return readyState(now, handledRequest, outage);
  if (before.state === "ready") return readyState(before.revision, handledRequest, now);
  return { state: "failed", failure: now, ...(handledRequest !== undefined && { handledRequest }) };
}

function readyState(
  revision: SourceRevision,
  handledRequest: string | undefined,
  stale: SourceFailure | undefined,
): SourceState {
  const state = { state: "ready", revision, handledRequest } as const;
  return stale === undefined ? state : { ...state, stale };
}

/** Whether no follower needs a notification: the head may be a commit that changed none of the followed paths. Pure. */
export function isSameAnswer(a: SourceState, b: SourceState): boolean {
  if (a.state === "failed" && b.state === "failed")
    return isSameFailure(a.failure, b.failure) && a.handledRequest === b.handledRequest;
  if (a.state !== "ready" || b.state !== "ready") return a.state === b.state;
  return (
    a.revision.tree === b.revision.tree &&
    a.revision.changed.id === b.revision.changed.id &&
    a.handledRequest === b.handledRequest &&
    isSameFailure(a.stale, b.stale)
  );
}

function isSameFailure(a: SourceFailure | undefined, b: SourceFailure | undefined): boolean {
  return a?.reason === b?.reason && a?.message === b?.message;
}
