import { type ASTNode, Environment, type ParseResult } from "@marcbachmann/cel-js";

/** A CEL expression over an object's fields with a boolean result. */
export type HealthExpression = (fields: Readonly<Record<string, unknown>>) => boolean;

/** An expression is invalid, or cannot be evaluated for an object. The message is one line. */
export class ExpressionError extends Error {
  override readonly name = "ExpressionError";
  /** The object lacks a field that the expression reads. */
  readonly isFieldMissing: boolean;

  constructor(message: string, options: ErrorOptions & { readonly isFieldMissing?: boolean } = {}) {
    super(message, options);
    this.isFieldMissing = options.isFieldMissing ?? false;
  }
}

/** Maximum cost of an expression for an object, in steps of about 50 ns: about 50 ms of the only thread. */
const workLimit = 1_000_000;
const deepestLoop = 2;

const loops: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "filter", "map"]);
/** The allowed functions. Regular expressions may never end, and some functions create large values; both are excluded. */
const functions: ReadonlySet<string> = new Set([
  ...loops,
  "has",
  "size",
  "startsWith",
  "endsWith",
  "contains",
  "lowerAscii",
  "upperAscii",
  "trim",
  "indexOf",
  "lastIndexOf",
  "substring",
  "split",
  "int",
  "uint",
  "double",
  "string",
  "bool",
  "dyn",
  "type",
  "duration",
  "timestamp",
]);

const limits = {
  maxAstNodes: 1_000,
  maxDepth: 50,
  maxListElements: 100,
  maxMapEntries: 100,
  maxCallArguments: 8,
};

/**
 * Compiles an expression with limited functions.
 *
 * @throws {ExpressionError} if it is not CEL, calls a forbidden function, or cannot return a boolean.
 */
export function compileExpression(text: string): HealthExpression {
  const parsed = parse(text);
  const shape = { nodes: 0, depth: 0 };
  measure(parsed.ast, 0, shape);
  if (shape.depth > deepestLoop)
    throw new ExpressionError(`loops may be at most ${deepestLoop} deep, found ${shape.depth}`);
  const { valid, type, error } = parsed.check();
  if (!valid) throw new ExpressionError(firstLine(error), { cause: error });
  if (type !== "bool" && type !== "dyn")
    throw new ExpressionError(`it must return true or false, and returns ${type}`);
  return (fields) => evaluate(parsed, fields, shape);
}

function parse(text: string): ParseResult {
  try {
    return new Environment({
      unlistedVariablesAreDyn: true,
      homogeneousAggregateLiterals: false,
      limits,
    }).parse(text);
  } catch (error) {
    throw new ExpressionError(firstLine(error), { cause: error });
  }
}

function evaluate(
  parsed: ParseResult,
  fields: Readonly<Record<string, unknown>>,
  { nodes, depth }: Readonly<Shape>,
): boolean {
  const size = { longest: 100, characters: 0 };
  const values = toCelValue({ metadata: {}, spec: {}, status: {}, ...fields }, size) as Record<
    string,
    unknown
  >;
  if (nodes * size.longest ** depth * (1 + size.characters / 4_096) > workLimit)
    throw new ExpressionError("the object is too large for it");
  let result: unknown;
  try {
    result = parsed(values);
  } catch (error) {
    const message = firstLine(error);
    throw new ExpressionError(message, {
      cause: error,
      isFieldMissing: /^(No such key|Unknown variable)/.test(message),
    });
  }
  if (typeof result !== "boolean") throw new ExpressionError("it returned neither true nor false");
  return result;
}

interface Shape {
  nodes: number;
  /** Number of nested loops. */
  depth: number;
}

function measure(node: unknown, depth: number, shape: Shape): void {
  if (Array.isArray(node)) {
    for (const one of node) measure(one, depth, shape);
    return;
  }
  if (!isNode(node)) return;
  shape.nodes++;
  let inner = depth;
  if (node.op === "call" || node.op === "rcall") {
    const name = String(node.args[0]);
    if (!functions.has(name)) throw new ExpressionError(`${name}() is not available here`);
    if (node.op === "rcall" && loops.has(name)) inner++;
  }
  // A search for a member iterates over the list.
  if (node.op === "in") inner++;
  shape.depth = Math.max(shape.depth, inner);
  measure(node.args, inner, shape);
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === "object" && value !== null && "op" in value && "args" in value;
}

/** Converts JSON to CEL values, in which whole numbers are integers. Also measures its size. */
function toCelValue(value: unknown, size: { longest: number; characters: number }): unknown {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === "string") size.characters += value.length;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    size.longest = Math.max(size.longest, value.length);
    return value.map((one) => toCelValue(one, size));
  }
  const entries = Object.entries(value);
  size.longest = Math.max(size.longest, entries.length);
  return Object.fromEntries(entries.map(([name, one]) => [name, toCelValue(one, size)]));
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split("\n", 1)[0] ?? "").trim();
}
