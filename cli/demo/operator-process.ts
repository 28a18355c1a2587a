import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";

export interface OperatorProcess {
  /** Resolves when it ends, with a description such as `exit code 1`. */
  readonly ended: Promise<string>;
  /** Sends the signal to stop, and kills it if it does not end within some seconds. */
  stop(): Promise<void>;
}

export interface OperatorProcessOptions {
  /** Arguments of `fairlead run`. */
  readonly args: readonly string[];
  /** Undefined: its log is written to that of this process. */
  readonly logPath?: string;
  /** Environment variables in addition to those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Its folder for temporary files: files that remain after it was killed are removed with the folder. */
  readonly temporaryFolder: string;
}

const patienceMs = 10_000;

/** Starts `fairlead run` as a child process. It ends with this process, however that ends. */
export function startOperatorProcess({
  args,
  logPath,
  environment = {},
  temporaryFolder,
}: OperatorProcessOptions): OperatorProcess {
  const program = process.argv[1] ?? "";
  const log = logPath === undefined ? "inherit" : openSync(logPath, "a");
  // A process group of its own: Ctrl-C in the terminal must not reach it before this process has sent its signal.
  // Nothing is sent over the channel; the operator detects the end of this process when it closes.
  const child = spawn(process.execPath, [...process.execArgv, program, "run", ...args], {
    stdio: ["ignore", log, log, "ipc"],
    detached: true,
    env: { ...process.env, ...environment, TMPDIR: temporaryFolder },
  });
  if (log !== "inherit") closeSync(log);
  const ended = once(child, "exit").then(([code, signal]: (number | string | null)[]) =>
    code === null ? String(signal) : `exit code ${code}`,
  );
  return { ended, stop: () => stopProcess(child, ended) };
}

async function stopProcess(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), patienceMs);
  await ended;
  clearTimeout(timer);
}
