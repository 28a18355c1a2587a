/** Names of fields whose values must not appear in a log. */
const SECRET_NAME =
  /token|password|passwd|passphrase|secret|authorization|credential|cookie|private.?key|api.?key/i;

/**
 * User information of a URL, credentials of an HTTP header, and fields of a query. Each begins with a fixed text, and
 * matches at different positions cannot overlap, so that the time is linear.
 */
const USER_INFORMATION = /:\/\/[^/\s@"']+@/g;
const HEADER = /\b(Bearer|Basic)\s+[\w.~+/=-]+/gi;
const QUERY_FIELD = /([?&][^?=&\s]*=)([^&\s"']+)/g;
const SECRET_FIELD = /token|password|secret|key|signature/i;

/** Maximum characters of a text; a longer one is cut. */
const LONGEST_TEXT = 16_384;
/** Characters before the cut that are omitted, too: they may be a part of a secret. */
const CUT_MARGIN = 2_048;

/** Maximum depth of logged values. */
const DEEPEST = 6;
const LONGEST_LIST = 100;

/** Removes credentials from a text, and shortens it. */
export function redactText(text: string): string {
  if (text.length <= LONGEST_TEXT) return withoutCredentials(text);
  return `${withoutCredentials(text.slice(0, LONGEST_TEXT)).slice(0, -CUT_MARGIN)}…`;
}

function withoutCredentials(text: string): string {
  return text
    .replaceAll(USER_INFORMATION, "://[redacted]@")
    .replaceAll(HEADER, "$1 [redacted]")
    .replaceAll(QUERY_FIELD, (all, name: string) => (SECRET_FIELD.test(name) ? `${name}[redacted]` : all));
}

/** A plain copy of log fields without secrets, errors with their causes included. Contains JSON values only. */
export function redactFields(fields: object): Record<string, unknown> {
  return redactObject(fields, 0);
}

function redactObject(fields: object, depth: number): Record<string, unknown> {
  const entries = Object.entries(fields)
    .filter(([, value]) => value !== undefined && typeof value !== "function")
    .map(([name, value]): [string, unknown] => [name, redactNamed(name, value, depth)]);
  return Object.fromEntries(entries);
}

function redactNamed(name: string, value: unknown, depth: number): unknown {
  const canBeSecret = typeof value === "string" || (typeof value === "object" && value !== null);
  return canBeSecret && SECRET_NAME.test(name) ? "[redacted]" : redactValue(value, depth + 1);
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value === "bigint" || typeof value === "symbol") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEEPEST) return "[too deep]";
  if (value instanceof Error) return describeError(value, depth);
  if (value instanceof Date) return value.toJSON();
  if (value instanceof URL) return redactText(value.href);
  if (value instanceof Map) return redactObject(Object.fromEntries(value), depth);
  if (Array.isArray(value) || value instanceof Set) {
    return [...value].slice(0, LONGEST_LIST).map((element) => redactValue(element, depth + 1));
  }
  return redactObject(value, depth);
}

/** Name, message, stack and own fields, and those of its cause. */
function describeError(error: Error, depth: number): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  const errors = error instanceof AggregateError ? error.errors : undefined;
  return {
    name,
    message: redactText(message),
    ...redactObject({ ...error, name: undefined, cause: undefined }, depth),
    ...(stack !== undefined && { stack: redactText(stack) }),
    ...(errors !== undefined && { errors: redactValue(errors, depth + 1) }),
    ...(cause !== undefined && { cause: redactValue(cause, depth + 1) }),
  };
}
