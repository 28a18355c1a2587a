/** Deepest nesting of an object: the API server takes less. */
const DEPTH = 100;

/**
 * Finds what JSON would drop or change without a word.
 *
 * @returns The first such thing with its path, or undefined.
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
    case "object":
      break;
    default:
      return undefined;
  }
  if (value === null) return undefined;
  if (Array.isArray(value)) {
    for (const [index, part] of value.entries()) {
      const problem = firstProblem(part, `${path}[${index}]`, depth + 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  for (const key of Object.keys(value)) {
    const part = (value as Record<string, unknown>)[key];
    const problem = firstProblem(part, path === "" ? key : `${path}.${key}`, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
