import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";

export interface OperatorProcess {
  /** Resolves with the exit code when it ends. */
  readonly ended: Promise<number | null>;
  /** Asks it to stop, and kills it if it does not within some seconds. */
  stop(): Promise<void>;
}

export interface OperatorProcessOptions {
  /** Arguments of `fairlead run`. */
  readonly args: readonly string[];
  readonly logPath: string;
}

const patienceMs = 10_000;

/** Starts `fairlead run` beside this process, its log in a file. */
export function startOperatorProcess({ args, logPath }: OperatorProcessOptions): OperatorProcess {
  const program = process.argv[1] ?? "";
  const log = openSync(logPath, "a");
  // A group of its own: Ctrl-C in the terminal must not reach it before we have said how to stop.
  const child = spawn(process.execPath, [...process.execArgv, program, "run", ...args], {
    stdio: ["ignore", log, log],
    detached: true,
  });
  const ended = once(child, "exit").then(([code]) => code as number | null);
  return { ended, stop: () => stopProcess(child, ended) };
}

async function stopProcess(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), patienceMs);
  await ended;
  clearTimeout(timer);
}
