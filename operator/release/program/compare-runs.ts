import { ReleaseError } from "../errors.ts";
import { toMessage } from "./program-failure.ts";
import { readHead } from "./read-output.ts";

/**
 * Says where two runs of the same program with the same inputs differ.
 *
 * @param texts What the runs gave, different from each other.
 */
export function explainDifference([first = "", second = ""]: readonly string[]): ReleaseError {
  return new ReleaseError(
    "RenderNotReproducible",
    toMessage(
      `Cannot render the program: two runs with the same inputs gave different results: ${whereDifferent(first, second)}; a program must depend on its files and inputs alone`,
    ),
  );
}

function whereDifferent(first: string, second: string): string {
  const [left, right] = [first, second].map((text) => ({
    head: readHead(text).head,
    lines: text.split("\n"),
  }));
  if (left === undefined || right === undefined) return "they cannot be compared";
  if (left.head.state !== right.head.state)
    return `one ${ended[left.head.state]}, the other ${ended[right.head.state]}`;
  if (left.head.state !== "collected") return "both failed, in different ways";
  if (left.lines.length !== right.lines.length) {
    return `one made ${left.lines.length - 1} objects, the other ${right.lines.length - 1}`;
  }
  const origins: unknown[] = Array.isArray(left.head.origins) ? left.head.origins : [];
  const index = left.lines.findIndex((line, at) => at > 0 && line !== right.lines[at]);
  if (index < 0) return "the paths or the order of their objects";
  const field = firstDifference(parse(left.lines[index]), parse(right.lines[index]), "");
  return `${String(origins[index - 1])}${field === "" ? "" : `, field ${field}`}`;
}

const ended = {
  collected: "made objects",
  failed: "failed",
  limit: "went over a limit",
  pending: "did not come to an end",
} as const;

function parse(line: string | undefined): unknown {
  try {
    return JSON.parse(line ?? "");
  } catch {
    return undefined;
  }
}

function firstDifference(left: unknown, right: unknown, path: string, depth = 0): string {
  if (
    typeof left !== "object" ||
    typeof right !== "object" ||
    left === null ||
    right === null ||
    depth > 100
  ) {
    return path;
  }
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const [a, b] = [left, right].map((value) => (value as Record<string, unknown>)[key]);
    if (JSON.stringify(a) === JSON.stringify(b)) continue;
    const at = Array.isArray(left) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
    return firstDifference(a, b, at, depth + 1);
  }
  return path;
}
