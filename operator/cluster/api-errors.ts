import { kindIn } from "../../synth/manifest.ts";
import { isBuiltInGroup } from "../engine/built-in-group.ts";
import {
  ApiUnavailableError,
  NamespaceTerminatingError,
  NotLeadingError,
  NotOwnedError,
  ObjectRejectedError,
} from "../errors.ts";
import { type ApiStatus, readStatus, type StatusCause } from "./api-status.ts";
import type { ApiResponse } from "./transport.ts";

/** The attempted request, for the message. */
export interface Attempt {
  readonly verb: "apply" | "create" | "read" | "delete" | "patch the status of" | "patch";
  /** `group/Kind/namespace/name`. */
  readonly id: string;
  readonly namespace: string | undefined;
}

/** Maximum length of a message, which is copied to a condition, an event and a log line. */
const longestReason = 1_000;
/** A longer value is not useful in a message (the rejection of a Job repeats its whole pod template). */
const longestValue = 80;

const immutable =
  /immutable|may not change once set|may not be changed|updates to statefulset spec for fields other than|may not change fields other than/;
/** A node port or an address that another Service uses. */
const contested = /provided (port|IP) is already allocated/;
const byPerson = /User "(.*)" cannot (\S+) resource "([^"]*)" in API group "([^"]*)"(.*)/s;
/**
 * Messages of the operator's own admission policies; see constructs/leadership-fence.ts and
 * constructs/ownership-fence.ts.
 */
const byLeadershipPolicy = /the lease is held by .*/;
const byOwnershipPolicy = /leaves alone what belongs to (.*)/;
/**
 * The API server could not evaluate an admission policy, for example because the read of its parameter timed out. It answers
 * 422, as for a refusal. Source: addConfigError() in k8s.io/apiserver/pkg/admission/plugin/policy.
 */
const byUnevaluatedPolicy = /denied request: failed to configure (?:policy|binding): /;
const unavailable4xx = new Set([401, 408, 409, 429]);

/**
 * Converts a rejection to one of the operator's errors, with a message for users: what failed, for which object, why,
 * and what to do. An {@link ObjectRejectedError} recurs until a user edits the resource, an {@link ApiUnavailableError}
 * may not.
 */
export function toOperatorError(response: ApiResponse, attempt: Attempt): Error {
  const status = readStatus(response);
  const { code, causes } = status;
  if (code === 404) return unavailable(attempt, status, notFound(status, attempt));
  const notLeading = byLeadershipPolicy.exec(status.message);
  if (notLeading !== null) return new NotLeadingError(`${notLeading[0]}, says the API server`);
  if (byUnevaluatedPolicy.test(status.message)) return unavailable(attempt, status, brief(status.message));
  if (code === 403) return forbidden(status, attempt);
  if (code === 422)
    return rejected(attempt, status, causes.length > 0 ? inWords(causes, attempt) : brief(status.message));
  if (isHeldByOthers(status)) return rejected(attempt, status, inWords(causes, attempt));
  if (code === 413) return rejected(attempt, status, "the object is larger than the API server accepts");
  if (isRejectedByParser(status)) return rejected(attempt, status, parserMessage(status.message, attempt));
  if (code === 401) {
    const why =
      "the API server does not accept our credentials (401); check the kubeconfig or the service account";
    return unavailable(attempt, status, why);
  }
  if (code >= 500 || unavailable4xx.has(code))
    return unavailable(attempt, status, `the API server answered ${code}: ${brief(status.message)}`);
  return rejected(attempt, status, brief(status.message));
}

/** Whether a rejection means that the name belongs to another object (or to none) than the one whose uid was sent. */
export function isOtherUid(response: ApiResponse): boolean {
  if (response.status !== 422 && response.status !== 409) return false;
  const { causes, message } = readStatus(response);
  return (
    causes.some(({ field }) => field === "metadata.uid") ||
    /uid mismatch|UID in the precondition/.test(message)
  );
}

function forbidden(status: ApiStatus, attempt: Attempt): Error {
  const terminating = status.causes.some(({ reason }) => reason === "NamespaceTerminating");
  if (terminating) return new NamespaceTerminatingError(attempt.namespace ?? "");
  const owner = byOwnershipPolicy.exec(status.message)?.[1];
  if (owner !== undefined && attempt.verb === "apply") return new NotOwnedError(attempt.id, { name: owner });
  const missing = byPerson.exec(status.message);
  if (missing !== null) {
    const [, user, verb, plural, group, place] = missing;
    const what = `"${plural}" of API group "${group}"${(place ?? "").trimEnd()}`;
    const why = `user "${user}" may not ${verb} ${what}; bind a role with this verb to it`;
    return unavailable(attempt, status, why);
  }
  const why = brief(status.message.replace(/^.*? is forbidden: /s, ""));
  // Quota may become available without an edit.
  if (/exceeded quota/.test(why)) return unavailable(attempt, status, why);
  return rejected(attempt, status, why);
}

function notFound(status: ApiStatus, { namespace }: Attempt): string {
  if (status.kind === "namespaces") return `namespace "${namespace ?? ""}" does not exist`;
  if (status.kind === "")
    return "the API server does not have this kind; install its CustomResourceDefinition";
  return brief(status.message);
}

/** An apply that is not forced sets a field that another manager owns. */
function isHeldByOthers({ code, causes }: ApiStatus): boolean {
  return code === 409 && causes.some(({ reason }) => reason === "FieldManagerConflict");
}

// Server-side apply returns 500 when the object does not match the schema: that is not a failure of the server.
function isRejectedByParser({ code, message }: ApiStatus): boolean {
  if (code < 500) return false;
  return /failed to create typed patch object|duplicate entries for key|field not declared in schema/.test(
    message,
  );
}

function parserMessage(message: string, { id }: Attempt): string {
  const why = message.replace(/^.*failed to create typed patch object \([^)]*\): /s, "");
  // `expected string, got <value>`.
  return brief(isSecret(id) ? why.replace(/,? got .*$/s, "") : why);
}

/** Messages about schemas: an unknown field (in three forms), or an invalid value. */
function isSchemaRefusal(status: ApiStatus): boolean {
  const { code, message } = status;
  return code === 422 || isRejectedByParser(status) || (code === 400 && /unknown field/.test(message));
}

/** Whether the kind of an object may come from a CustomResourceDefinition. */
function isCustomKind(id: string): boolean {
  return !isBuiltInGroup(id.slice(0, id.indexOf("/")));
}

function isSecret(id: string): boolean {
  return id.startsWith("/Secret/");
}

// Only a rejected apply depends on the resource; other rejected requests are retried later.
function rejected(attempt: Attempt, status: ApiStatus, why: string): Error {
  if (attempt.verb !== "apply") return unavailable(attempt, status, why);
  const { causes } = status;
  const fixed = causes.find(({ field, message }) => field !== "metadata.uid" && immutable.test(message));
  const isContested = causes.length > 0 && causes.every(({ message }) => contested.test(message));
  return new ObjectRejectedError(attempt.id, why, {
    isContested,
    isBySchema: fixed === undefined && isCustomKind(attempt.id) && isSchemaRefusal(status),
    ...(fixed && { immutableField: fixed.field }),
  });
}

function unavailable({ verb, id }: Attempt, status: ApiStatus, why: string): ApiUnavailableError {
  const { code, retryAfterMs } = status;
  // A 404 of an object, or of its namespace, names the missing object.
  const isKindUnknown = code === 404 && status.kind === "";
  return new ApiUnavailableError(`Cannot ${verb} "${id}": ${why}`, {
    status: code,
    ...(isKindUnknown && { unknownKind: kindIn(id) }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

function inWords(causes: readonly StatusCause[], { id }: Attempt): string {
  const sentences = causes.map(({ field, message }) => {
    const text = withoutValue(message.split("\n", 1)[0] ?? "", isSecret(id));
    // The field path in a conflict begins with a dot.
    return field === "" ? text : `${field.replace(/^\./, "")}: ${text}`;
  });
  return brief([...new Set(sentences)].join("; "));
}

// `Invalid value: <value>: <why>`. The value may contain anything, including content of a Secret.
function withoutValue(message: string, always: boolean): string {
  const match = /^(Invalid|Unsupported|Duplicate) value: (.*): ([^:]+)$/.exec(message);
  const [, prefix = "", value = "", why = ""] = match ?? [];
  if (match === null) return message;
  return always || value.length > longestValue ? why : `${prefix.toLowerCase()} value ${value}: ${why}`;
}

function brief(message: string): string {
  const line = message.trim();
  return line.length <= longestReason ? line : `${line.slice(0, longestReason - 1)}…`;
}
