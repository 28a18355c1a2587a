import { SourceError } from "../../errors.ts";
import { TimeSlice, yieldToEventLoop } from "../../runtime/time-slice.ts";
import { readJsonInSlices } from "./json-in-slices.ts";
import { endOfLine, readLine } from "./output-lines.ts";
import { toMessage } from "./program-failure.ts";
import { readHead } from "./read-output.ts";

/** Maximum depth of a reported field; for deeper differences, the field that contains them is reported. */
const DEPTH = 100;
/** Counting stops here: a run with more than 10,000 objects fails. */
const COUNTED_OBJECTS = 10_000;
const VALUES_AT_ONCE = 2_000;
/** Bytes that are compared at once: comparing slices is a `memcmp`. */
const PIECE = 65_536;
const newline = 10;
const nothing = Buffer.alloc(0);

/**
 * Describes the difference between two runs of the same program with the same inputs. Linear in the length of the outputs,
 * which are untrusted, and in slices of a few milliseconds: only the first two objects that differ are parsed.
 *
 * @param outputs The outputs of the runs, which differ.
 */
export async function explainDifference([
  first = nothing,
  second = nothing,
]: readonly Buffer[]): Promise<SourceError> {
  const where = await whereDifferent(first, second);
  return new SourceError(
    "RenderNotReproducible",
    toMessage(
      `Cannot render the program: two runs with the same inputs returned different results: ${where}; a program must depend only on its files and inputs`,
    ),
  );
}

async function whereDifferent(left: Buffer, right: Buffer): Promise<string> {
  const [a, b] = [(await readHead(left)).head, (await readHead(right)).head];
  if (a.state !== b.state) return `one ${ended[a.state]}, the other ${ended[b.state]}`;
  if (a.state !== "collected") return "both failed, in different ways";
  // Each of these steps takes up to 10 ms for the largest answers.
  await yieldToEventLoop();
  const ours = countObjects(left);
  await yieldToEventLoop();
  const theirs = countObjects(right);
  await yieldToEventLoop();
  if (ours !== theirs) return `one created ${ours} objects, the other ${theirs}`;
  const found = firstDifferentObject(left, right);
  if (found === undefined) return "the paths or the order of their objects";
  if (found.index >= COUNTED_OBJECTS) return `an object after the first ${COUNTED_OBJECTS}`;
  await yieldToEventLoop();
  const origins: unknown[] = Array.isArray(a.origins) ? a.origins : [];
  const origin = origins[found.index];
  const field = await differentField(found.left, found.right);
  return `${typeof origin === "string" ? origin : ""}${field === "" ? "" : `, field ${field}`}`;
}

const ended = {
  collected: "created objects",
  failed: "failed",
  limit: "exceeded a limit",
  pending: "did not end",
} as const;

/** Counts the lines after the first one. */
function countObjects(output: Buffer): number | string {
  const count = countLines(output, { from: 0, to: output.length });
  return count > COUNTED_OBJECTS ? `more than ${COUNTED_OBJECTS}` : count;
}

/** Counts ends of lines, up to one more than the limit. */
function countLines(output: Buffer, { from, to }: { readonly from: number; readonly to: number }): number {
  let count = 0;
  for (let at = output.indexOf(newline, from); at !== -1 && at < to; at = output.indexOf(newline, at + 1)) {
    if (++count > COUNTED_OBJECTS) break;
  }
  return count;
}

/** The first different lines after the head. */
function firstDifferentObject(
  left: Buffer,
  right: Buffer,
): { readonly index: number; readonly left: Buffer; readonly right: Buffer } | undefined {
  const [ours, theirs] = [left.indexOf(newline) + 1, right.indexOf(newline) + 1];
  const length = Math.min(left.length - ours, right.length - theirs);
  let same = 0;
  for (; same + PIECE <= length; same += PIECE) {
    const piece = left.subarray(ours + same, ours + same + PIECE);
    if (!piece.equals(right.subarray(theirs + same, theirs + same + PIECE))) break;
  }
  while (same < length && left[ours + same] === right[theirs + same]) same++;
  if (ours + same === left.length && theirs + same === right.length) return undefined;
  const start = left.subarray(0, ours + same).lastIndexOf(newline) + 1;
  const index = countLines(left, { from: ours, to: start });
  return { index, left: lineAt(left, start), right: lineAt(right, start - ours + theirs) };
}

function lineAt(output: Buffer, start: number): Buffer {
  return output.subarray(start, endOfLine(output, start));
}

/** Path of the first different field. Empty: the objects differ as a whole, or one of them is too long or cannot be parsed. */
async function differentField(left: Buffer, right: Buffer): Promise<string> {
  try {
    const values = [await parsedLine(left), await parsedLine(right)] as const;
    const path = (await new TimeSlice(performance).run(new Comparison().compare(...values, 0))) ?? [];
    return path.reduceRight<string>((text, { key, isItem }) => {
      if (isItem) return `${text}[${key}]`;
      return text === "" ? key : `${text}.${key}`;
    }, "");
  } catch {
    return "";
  }
}

async function parsedLine(line: Buffer): Promise<unknown> {
  return await readJsonInSlices((await readLine(line)).text);
}

/** One step of a path. */
interface Step {
  readonly key: string;
  readonly isItem: boolean;
}

class Comparison {
  #count = 0;

  /** The path to the first difference, its last step first; undefined: they are equal. */
  *compare(left: unknown, right: unknown, depth: number): Generator<undefined, Step[] | undefined> {
    if (!(isContainer(left) && isContainer(right))) return left === right ? undefined : [];
    if (depth === DEPTH) return [];
    for (const key of keysOf(left, right)) {
      if (++this.#count % VALUES_AT_ONCE === 0) yield;
      const [a, b] = [left[key], right[key]];
      if (a === b) continue;
      const path = yield* this.compare(a, b, depth + 1);
      path?.push({ key, isItem: Array.isArray(left) });
      if (path !== undefined) return path;
    }
    return undefined;
  }
}

/** The keys of both, those of the first before those that only the second one has. */
function* keysOf(
  left: Readonly<Record<string, unknown>>,
  right: Readonly<Record<string, unknown>>,
): Generator<string> {
  if (Array.isArray(left) && Array.isArray(right)) {
    const length = Math.max(left.length, right.length);
    for (let index = 0; index < length; index++) yield String(index);
    return;
  }
  yield* Object.keys(left);
  for (const key of Object.keys(right)) if (!Object.hasOwn(left, key)) yield key;
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
