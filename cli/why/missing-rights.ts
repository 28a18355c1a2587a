import { ApiUnavailableError } from "../../operator/errors.ts";

/** Whether the user lacks a permission that a request needs. */
export function isForbidden(error: unknown): error is ApiUnavailableError {
  return error instanceof ApiUnavailableError && (error.status === 403 || error.status === 401);
}

/**
 * Describes the information that a missing permission hides, for users.
 *
 * @throws The error, if it has another cause.
 */
export function describeMissingRight(error: unknown, what: string): string {
  if (!isForbidden(error)) throw error;
  return `${what}: ${error.message.replace(/^Cannot \w+ "[^"]*": /, "")}`;
}
