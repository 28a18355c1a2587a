const halfCharacter = "contains a lone surrogate (half of a character)";

/** Maximum nesting of an object, more than the API server accepts. */
const DEPTH = 100;

/**
 * Finds what JSON would drop or change silently: a Map becomes an empty object, and a hole in an array becomes null.
 *
 * @returns The first problem with its path, or undefined.
 */
export function firstProblem(value: unknown, path = "", depth = 0): string | undefined {
  const at = path === "" ? "it" : path;
  if (depth > DEPTH) return `${at.slice(0, 200)} is nested deeper than ${DEPTH} levels`;
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) ? undefined : `${at} is ${value}, which JSON cannot express`;
    case "bigint":
    case "function":
    case "symbol":
      return `${at} is a ${typeof value}, which JSON cannot express`;
    case "string":
      return value.isWellFormed() ? undefined : `${at} ${halfCharacter}`;
    case "object":
      break;
    default:
      return undefined;
  }
  if (value === null) return undefined;
  if (Array.isArray(value)) return problemOfArray(value, path, depth);
  if (!isPlain(value)) return `${at} is ${nameOf(value)}, which JSON cannot express`;
  if (Object.getOwnPropertySymbols(value).length > 0) return `${at} has a key that is a symbol`;
  for (const key of Object.keys(value)) {
    if (!key.isWellFormed()) return `${at} has a key that ${halfCharacter}`;
    const part = (value as Record<string, unknown>)[key];
    const problem = firstProblem(part, path === "" ? key : `${path}.${key}`, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOfArray(items: readonly unknown[], path: string, depth: number): string | undefined {
  for (const [index, item] of items.entries()) {
    const at = `${path}[${index}]`;
    // cdk8s converts null to undefined, which JSON writes as null again: nothing changes.
    if (!(index in items)) return `${at} is missing, which JSON would make null`;
    const problem = firstProblem(item, at, depth + 1);
    if (problem !== undefined) return problem;
  }
  // JSON writes only the items of an array.
  const extra = Object.keys(items).find((key) => !/^[0-9]+$/.test(key));
  return extra === undefined
    ? undefined
    : `${path}.${extra} is a field of an array, which JSON cannot express`;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function nameOf(value: object): string {
  const name = (value as { readonly constructor?: { readonly name?: unknown } }).constructor?.name;
  return typeof name === "string" && name !== "Object" ? `of class ${name}` : "not a plain object";
}
