import { feed } from "./feed.ts";
import { grow, Inputs, type Shape } from "./inputs.ts";
import { type FuzzedReader, readers } from "./readers.ts";

/** A violation of the rules for readers. */
export interface Finding {
  readonly reader: string;
  readonly what: "crash" | "slice" | "growth" | "hang" | "end of the process";
  /** The input or its shape, and the error, the milliseconds or the factor. */
  readonly detail: string;
}

export interface SearchOptions {
  readonly inputs: number;
  readonly seed: number;
  /** Maximum duration of the search. */
  readonly limitMs: number;
  readonly names: readonly string[];
  readonly onFinding: (finding: Finding) => void;
  /** Called before a reader gets an input. */
  readonly onInput: (reader: string, bytes: Buffer) => void;
}

/** Passes an input to a reader, as {@link feed}. */
type Feed = typeof feed;

/** Maximum time in milliseconds between two pauses of a reader. */
const SLICE_MS = 50;
/** Maximum factor of the time when an input is doubled. */
const GROWTH = 2.2;
/** Minimum time in milliseconds for a measurement of growth. */
const MEASURABLE_MS = 8;
/** Number of short inputs for each measured shape. */
const SHORT_INPUTS = 500;
/** One shape in this many is measured at the reader's largest input. */
const LARGEST = 10;
const SIZE = 131_072;
/** Smallest size of a shape. */
const SMALL = 4_096;
/** A shape below the usual size that takes longer than this, in milliseconds, is not linear. */
const NONLINEAR_MS = 500;
const BOUNDED = 131_072;

export interface Searched {
  readonly inputs: number;
  readonly shapes: number;
  readonly elapsedMs: number;
  /** Inputs by name of the reader. */
  readonly byReader: Readonly<Record<string, number>>;
}

/** Feeds short inputs to find crashes, and long ones to find slow shapes. */
export async function search(options: SearchOptions): Promise<Searched> {
  const random = new Inputs(options.seed);
  const chosen = readers.filter(({ name }) => options.names.length === 0 || options.names.includes(name));
  const byReader = new Map<string, number>();
  const beganMs = performance.now();
  const elapsedMs = (): number => performance.now() - beganMs;
  const feedNoted: Feed = (reader, bytes) => {
    options.onInput(reader.name, bytes);
    return feed(reader, bytes);
  };
  let [inputs, shapes] = [0, 0];
  while (inputs < options.inputs && elapsedMs() < options.limitMs) {
    const reader = chosen[shapes % chosen.length] as FuzzedReader;
    for (let count = 0; count < SHORT_INPUTS; count++) {
      const bytes = random.short(reader.tokens);
      const { crash } = await feedNoted(reader, bytes);
      if (crash !== undefined)
        options.onFinding(crashOf(reader, JSON.stringify(bytes.toString("latin1")), crash));
    }
    const isLargest = shapes % (LARGEST * chosen.length) < chosen.length;
    const finding = await measure({ reader, shape: random.shape(reader.tokens), isLargest, feed: feedNoted });
    if (finding !== undefined) options.onFinding(finding);
    shapes++;
    inputs += SHORT_INPUTS + 1;
    byReader.set(reader.name, (byReader.get(reader.name) ?? 0) + SHORT_INPUTS + 1);
  }
  return { inputs, shapes, elapsedMs: elapsedMs(), byReader: Object.fromEntries(byReader) };
}

function crashOf({ name }: FuzzedReader, input: string, crash: unknown): Finding {
  const text =
    crash instanceof Error
      ? (crash.stack ?? String(crash)).split("\n").slice(0, 4).join(" | ")
      : String(crash);
  return { reader: name, what: "crash", detail: `${input}: ${text}` };
}

interface MeasureInput {
  readonly reader: FuzzedReader;
  readonly shape: Shape;
  /** Whether to measure the largest input of the reader, too. */
  readonly isLargest: boolean;
  readonly feed: Feed;
}

async function measure({ reader, shape, isLargest, feed }: MeasureInput): Promise<Finding | undefined> {
  const text = JSON.stringify(shape);
  let size = Math.min(SIZE, Math.floor(reader.largest / 2));
  // Start with small sizes, because a quadratic reader would take minutes for the usual sizes.
  for (let bytes = SMALL; bytes < size; bytes *= 2) {
    const { totalMs } = await feed(reader, grow(shape, bytes));
    if (totalMs > NONLINEAR_MS)
      return {
        reader: reader.name,
        what: "growth",
        detail: `${text}: ${Math.round(totalMs)} ms for ${bytes} bytes`,
      };
  }
  // Growth does not matter if the largest input takes a short time.
  const isBounded =
    reader.largest <= BOUNDED && (await best(feed, reader, grow(shape, reader.largest))) < SLICE_MS;
  const [first, second] = [await feed(reader, grow(shape, size)), await feed(reader, grow(shape, 2 * size))];
  for (const { crash } of [first, second]) if (crash !== undefined) return crashOf(reader, text, crash);
  let factor = second.totalMs / first.totalMs;
  // Measure again: the first result may be noise, or include the time of the JIT compiler.
  for (let round = 0; !isBounded && factor > GROWTH && second.totalMs > MEASURABLE_MS; round++) {
    const once = await best(feed, reader, grow(shape, size));
    const twice = await best(feed, reader, grow(shape, 2 * size));
    factor = twice < MEASURABLE_MS ? 0 : twice / once;
    if (factor > GROWTH && round === 2) {
      const ms = Math.round(twice);
      return {
        reader: reader.name,
        what: "growth",
        detail: `${text}: × ${factor.toFixed(2)}, ${ms} ms for ${2 * size} bytes`,
      };
    }
    if (4 * size <= reader.largest) size *= 2;
  }
  const bytes = grow(shape, isLargest ? reader.largest : 2 * size);
  const limitMs = reader.sliceMs ?? SLICE_MS;
  let sliceMs = isLargest ? (await feed(reader, bytes)).sliceMs : second.sliceMs;
  for (let round = 0; sliceMs > limitMs && round < 4; round++)
    sliceMs = Math.min(sliceMs, (await feed(reader, bytes)).sliceMs);
  if (sliceMs <= limitMs) return undefined;
  return {
    reader: reader.name,
    what: "slice",
    detail: `${text}: ${Math.round(sliceMs)} ms, ${bytes.length} bytes`,
  };
}

/** Duration of the fastest of three runs, in milliseconds. */
async function best(feed: Feed, reader: FuzzedReader, bytes: Buffer): Promise<number> {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round++) leastMs = Math.min(leastMs, (await feed(reader, bytes)).totalMs);
  return leastMs;
}
