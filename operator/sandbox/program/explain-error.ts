import { SourceMap } from "node:module";
import type { SourceError } from "../../errors.ts";
import type { Bundle } from "./bundle.ts";
import { programFailure } from "./program-failure.ts";
import type { OutputHead } from "./read-output.ts";

/** Number of callers that are shown in addition to the failing position. */
const CALLERS = 2;

/** Hints, by the name that a program does not find. */
const absent: Readonly<Record<string, string>> = {
  process: "a program has no environment: pass values as inputs",
  require: "write import … from at the top of the file",
  module: "write export default",
  exports: "write export default",
  Buffer: "use btoa() and atob(), or TextEncoder",
  fetch: "a program has no network: import what it needs as a file",
  setTimeout: "a program cannot wait",
  setInterval: "a program cannot wait",
  setImmediate: "a program cannot wait",
  __dirname: "a program has no files: import them",
  __filename: "a program has no files: import them",
  WebAssembly: "a program contains only TypeScript",
  Atomics: "a program shares no memory and cannot wait",
  SharedArrayBuffer: "a program shares no memory",
};

/** The error of a run that failed, with file and line of the TypeScript source where they are known. */
export function explainError(head: OutputHead & { readonly state: "failed" }, bundle: Bundle): SourceError {
  const { name, message, path, stack } = head.error;
  if (head.doing === "inputs") return programFailure(`${path ?? "inputs"}: ${message}`);
  const [place, ...callers] = positionsOf(stack, bundle).map(
    ({ path, line, column }) => `${path}:${line}:${column}`,
  );
  const [, missing = ""] = /^(\w+) is not defined$/.exec(message) ?? [];
  const advice = Object.hasOwn(absent, missing) ? `: ${absent[missing]}` : "";
  const from = [...new Set(callers)].filter((caller) => caller !== place).slice(0, CALLERS);
  return programFailure(
    `${place === undefined ? "" : `${place}: `}${name}: ${message}${advice}${from.length === 0 ? "" : ` (called from ${from.join(", ")})`}`,
  );
}

/** A position in a program's sources, with lines and columns from 1. */
interface SourcePosition {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** Parsing a larger map would block the event loop: then no positions are reported. */
const MAP_CHARACTERS = 2 * 2 ** 20;
const FRAMES = 50;

/** The positions of a stack trace in the program's own sources, innermost first. */
function positionsOf(stack: string, { sourceMap }: Pick<Bundle, "sourceMap">): SourcePosition[] {
  const frames = [...stack.matchAll(/release-program\.js:(\d{1,7}):(\d{1,7})/g)].slice(0, FRAMES);
  if (frames.length === 0 || sourceMap === "" || sourceMap.length > MAP_CHARACTERS) return [];
  const map = new SourceMap(JSON.parse(sourceMap) as ConstructorParameters<typeof SourceMap>[0]);
  return frames.flatMap(([, line = "0", column = "0"]): SourcePosition[] => {
    const entry = map.findEntry(Number(line) - 1, Number(column) - 1);
    if (!("originalSource" in entry) || entry.originalSource === undefined) return [];
    const { originalSource } = entry;
    if (originalSource.startsWith("library:")) return [];
    const path = originalSource.replace(/^release:/, "");
    return [{ path, line: entry.originalLine + 1, column: entry.originalColumn + 1 }];
  });
}
