import * as z from "zod";

type Issue = z.core.$ZodIssue;

/** The part of a JSON Schema that is used here. */
interface Shape {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly additionalProperties?: Shape | boolean;
}

/** Invalid values; `message` has one line for each: path, what was expected, what was found. */
export class OperatorValuesError extends Error {
  override readonly name = "OperatorValuesError";

  constructor(issues: readonly Issue[], values: unknown, schema: z.ZodType) {
    // Takes milliseconds, and only unknown names need it.
    const shapeOf = (): Shape => z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Shape;
    super([...new Set(issues.flatMap((issue) => describeIssue(issue, values, shapeOf)))].join("\n"));
  }
}

function describeIssue(issue: Issue, values: unknown, shapeOf: () => Shape): readonly string[] {
  if (issue.code === "unrecognized_keys") {
    const known = Object.keys(shapeAt(shapeOf(), issue.path)?.properties ?? {});
    return issue.keys.map((key) => {
      const near = known.find((name) => isNear(name, key));
      const hint = near === undefined ? `expected one of ${known.join(", ")}` : `did you mean ${near}?`;
      return `${pathOf([...issue.path, key])}: unknown value; ${hint}`;
    });
  }
  const found = issue.path.reduce<unknown>((value, part) => fieldOf(value, part), values);
  return [`${pathOf(issue.path)}: ${expectationOf(issue)}${sayFound(found, issue)}`];
}

const nouns: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a map",
  record: "a map",
};

function expectationOf(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return `expected ${nouns[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `expected ${issue.values.map(String).join(" or ")}`;
    case "too_small":
      return `expected ${issue.origin === "array" ? "a list of " : ""}at least ${issue.minimum}`;
    case "too_big":
      return `expected at most ${issue.maximum}${issue.origin === "string" ? " characters" : ""}`;
    case "invalid_key":
      return issue.issues[0]?.message ?? issue.message;
    default:
      return issue.message;
  }
}

/** The found value, unless it may be secret: a URL may contain a password. */
function sayFound(found: unknown, { code, path }: Issue): string {
  if (code === "invalid_key" || path.at(-1) === "url" || path.at(-2) === "sources") return "";
  if (found === undefined) return code === "custom" ? "" : ", found nothing";
  if (found === null) return ", found nothing";
  if (Array.isArray(found)) return code === "invalid_type" ? ", found a list" : "";
  if (typeof found === "object") return code === "invalid_type" ? ", found a map" : "";
  return `, found ${JSON.stringify(found).slice(0, 100)}`;
}

function shapeAt(shape: Shape | undefined, path: readonly PropertyKey[]): Shape | undefined {
  return path.reduce<Shape | undefined>((at, part) => {
    if (typeof part === "number") return at?.items;
    const more = typeof at?.additionalProperties === "object" ? at.additionalProperties : undefined;
    return at?.properties?.[String(part)] ?? more;
  }, shape);
}

function fieldOf(value: unknown, part: PropertyKey): unknown {
  return typeof value === "object" && value !== null
    ? (value as Record<PropertyKey, unknown>)[part]
    : undefined;
}

function pathOf(path: readonly PropertyKey[]): string {
  const text = path.reduce<string>((before, part) => {
    if (typeof part === "number") return `${before}[${part}]`;
    const word = /^[\w-]+$/.test(String(part)) ? String(part) : JSON.stringify(String(part));
    return before === "" ? word : `${before}.${word}`;
  }, "");
  return text === "" ? "values" : text;
}

/** Whether two names differ by at most one edit, two swapped letters, or case. */
function isNear(known: string, given: string): boolean {
  const [a, b] = [known.toLowerCase(), given.toLowerCase()];
  if (a === b) return true;
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return Math.max(a.length, b.length) - start - end <= (a.length === b.length ? 2 : 1);
}
