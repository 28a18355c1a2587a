/** Names of fields whose values nobody may read in a log. */
const SECRET_NAME =
  /token|password|passwd|passphrase|secret|authorization|credential|cookie|private.?key|api.?key/i;

/** What may sit in a text: user information of a URL, credentials of an HTTP header, secrets in a query. */
const SECRET_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/([a-z][a-z0-9+.-]*:\/\/)[^/\s@"']+@/gi, "$1[redacted]@"],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, "$1 [redacted]"],
  [/([?&][^=&\s]*(?:token|password|secret|key|signature)[^=&\s]*=)[^&\s"']+/gi, "$1[redacted]"],
];

/** Deeper than this nothing is written. */
const DEEPEST = 6;
const LONGEST_LIST = 100;

/** Takes credentials out of a text. */
export function redactText(text: string): string {
  return SECRET_TEXTS.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text);
}

/** A plain copy of log fields without secrets, errors with their causes included. Gives JSON values only. */
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

/** Name, message, stack, own fields, and the same of what caused it. */
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
