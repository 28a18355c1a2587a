import { ApiUnavailableError } from "../../operator/errors.ts";

/** Whether the user lacks a right that a request needs. */
export function isForbidden(error: unknown): error is ApiUnavailableError {
  return error instanceof ApiUnavailableError && (error.status === 403 || error.status === 401);
}

/**
 * Describes the information that a missing right hides, for people.
 *
 * @throws The error, if it is another one.
 */
export function describeMissingRight(error: unknown, what: string): string {
  if (!isForbidden(error)) throw error;
  return `${what}: ${error.message.replace(/^Cannot \w+ "[^"]*": /, "")}`;
}
