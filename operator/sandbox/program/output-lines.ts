import { shapeOfJson } from "../../engine/json-shape.ts";
import { estimateMemory } from "../../render/estimate-memory.ts";
import { JsonTextError } from "../../render/json-scanner.ts";
import { yieldToEventLoop } from "../../runtime/time-slice.ts";
import { checkSize } from "../check-json.ts";
import { renderLimits } from "../render-limits.ts";
import { readJsonInSlices } from "./json-in-slices.ts";
import { programFailure, programLimit } from "./program-failure.ts";

/** One line of a run's output. */
export interface OutputLine {
  readonly text: string;
  /** Memory of its parsed value in bytes, as estimated. */
  readonly memory: number;
}

/**
 * Maximum bytes of the first line, which holds paths of constructs and edges, and of the JSON of one object, for which
 * the API server's limit is lower.
 */
const LINE_BYTES = 4 * 2 ** 20;
/** Maximum memory of one parsed line, in bytes, as estimated. */
const LINE_MEMORY = 32 * 2 ** 20;
/** Bytes of a line whose steps take a few milliseconds each. */
const SHORT = 262_144;
const newline = 10;

export const nonsense = "the output of its process is not a list of objects";

/** Index of the end of the line that contains an index. */
export function endOfLine(output: Buffer, from: number): number {
  const end = output.indexOf(newline, from);
  return end < 0 ? output.length : end;
}

/**
 * Decodes a line: only lines are decoded, because the whole output would take 0.1 s. For the longest line, each of the two
 * steps takes up to 30 ms on a slow machine, so it pauses after each.
 *
 * @throws SourceError RenderLimit when it is too long.
 */
export async function readLine(line: Buffer): Promise<OutputLine> {
  // Checked first, because the other steps take longer for a longer line.
  if (line.length > LINE_BYTES)
    throw programLimit(`one of its objects is larger than ${LINE_BYTES / 2 ** 20} MiB`);
  const text = line.toString();
  if (line.length > SHORT) await yieldToEventLoop();
  const memory = estimateMemory(text);
  if (line.length > SHORT) await yieldToEventLoop();
  return { text, memory };
}

/**
 * Parses the JSON object of a line.
 *
 * @throws SourceError RenderFailed, RenderLimit.
 */
export async function parseLine(line: OutputLine): Promise<Record<string, unknown>> {
  refuseMuchMemory(line);
  let value: unknown;
  try {
    value = await readJsonInSlices(line.text);
  } catch (error) {
    const isTooDeep = error instanceof RangeError || (error instanceof JsonTextError && error.isLimit);
    throw programFailure(isTooDeep ? "one of its objects is nested too deeply" : nonsense);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw programFailure(nonsense);
  return value as Record<string, unknown>;
}

/**
 * Parses the line of one object. An object with more keys or values than the operator accepts is refused before: to parse and
 * check it would take 0.2 s.
 *
 * @param bytes The line as received.
 * @param origin Path of its construct, for the message.
 * @throws SourceError RenderFailed, RenderLimit.
 */
export async function parseObject(
  line: OutputLine,
  bytes: Buffer,
  origin: string,
): Promise<Record<string, unknown>> {
  refuseMuchMemory(line);
  // A shorter line has fewer values.
  const problem =
    bytes.length > SHORT ? checkSize(shapeOfJson(bytes, { mostDepth: renderLimits.depth })) : undefined;
  if (problem !== undefined) throw programLimit(`${origin}: the object ${problem}`);
  return await parseLine(line);
}

function refuseMuchMemory({ memory }: OutputLine): void {
  if (memory > LINE_MEMORY)
    throw programLimit(`one of its objects takes more than ${LINE_MEMORY / 2 ** 20} MiB of memory`);
}
