import type { SourceError } from "../../errors.ts";
import type { Bundle } from "./bundle.ts";
import { programFailure } from "./program-failure.ts";
import type { OutputHead } from "./read-output.ts";
import { positionsOf } from "./source-positions.ts";

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
