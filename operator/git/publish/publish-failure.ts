import { NotLeadingError } from "../../errors.ts";
import {
  CacheBrokenError,
  GitKilledError,
  ObjectFormatError,
  PushRefusedError,
  RepositoryOwnedError,
  RepositoryUnreachableError,
} from "../git-errors.ts";
import type { Failure } from "./publish-ledger.ts";

/** What an error means for who waits for a commit; undefined: nothing, because we only may not push at the moment. */
export function toFailure(error: unknown): Failure | undefined {
  if (error instanceof NotLeadingError) return undefined;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof RepositoryOwnedError) return { reason: "RepositoryOwned", message };
  if (error instanceof PushRefusedError) return { reason: "PushRefused", message };
  return { reason: "RepositoryUnreachable", message };
}

/** Whether a new clone may help. */
export function isFaultOfClone(error: unknown): error is CacheBrokenError | ObjectFormatError {
  return error instanceof CacheBrokenError || error instanceof ObjectFormatError;
}

/** Whether what git did was broken off, which says nothing about the repository or the clone. */
export function isKilled(error: unknown): boolean {
  return error instanceof GitKilledError || (error instanceof Error && error.cause instanceof GitKilledError);
}

/** Whether an error is none of those that the world outside can cause: then it is a defect of ours. */
export function isUnexpected(error: unknown): boolean {
  const known = error instanceof RepositoryUnreachableError || error instanceof RepositoryOwnedError;
  return (
    !known &&
    !isFaultOfClone(error) &&
    !(error instanceof PushRefusedError || error instanceof NotLeadingError)
  );
}
