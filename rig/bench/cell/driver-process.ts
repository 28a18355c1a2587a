import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** A result line of the driver: a scenario with its numbers. */
export interface ResultLine {
  readonly scenario: string;
  readonly n: number;
  readonly [field: string]: unknown;
}

export interface RunDriverOptions {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly signal: AbortSignal;
  readonly onResult: (line: ResultLine) => void;
}

/**
 * Runs the driver until it ends. It reports one result per scenario.
 *
 * @throws Error with the driver's output if it fails.
 */
export async function runDriver({ program, signal, onResult, ...options }: RunDriverOptions): Promise<void> {
  const child = spawn(program, options.arguments, {
    stdio: ["ignore", "pipe", "pipe"],
    signal,
    killSignal: "SIGTERM",
  });
  const words: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => words.push(line));
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line.startsWith("{")) onResult(JSON.parse(line) as ResultLine);
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0)
    throw new Error(`Cannot measure: the driver ended with ${code}\n${words.slice(-15).join("\n")}`);
}
