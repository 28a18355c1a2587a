import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";

export interface OperatorProcess {
  /** Resolves with what people call its end, such as `exit code 1`, when it ends. */
  readonly ended: Promise<string>;
  /** Asks it to stop, and kills it if it does not within some seconds. */
  stop(): Promise<void>;
}

export interface OperatorProcessOptions {
  /** Arguments of `fairlead run`. */
  readonly args: readonly string[];
  /** Undefined: the log goes where ours does. */
  readonly logPath?: string;
  /** Environment variables beside ours. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Its folder for temporary files: what it leaves there when it is killed is removed with the folder. */
  readonly temporaryFolder: string;
}

const patienceMs = 10_000;

/** Starts `fairlead run` beside this process. It ends with this process, however that ends. */
export function startOperatorProcess({
  args,
  logPath,
  environment = {},
  temporaryFolder,
}: OperatorProcessOptions): OperatorProcess {
  const program = process.argv[1] ?? "";
  const log = logPath === undefined ? "inherit" : openSync(logPath, "a");
  // A group of its own: Ctrl-C in the terminal must not reach it before we have said how to stop. The channel carries
  // nothing; that it breaks tells the operator of our end.
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
