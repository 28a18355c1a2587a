import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { nodeFlags } from "../../cli/image/node-flags.ts";
import { bundledPathOf } from "./bundled-programs.ts";
import { eventually } from "./eventually.ts";
import { testCluster } from "./fixture.ts";

/** One line of the operator's log. */
export interface LogLine {
  readonly level: string | number;
  readonly message: string;
  readonly [field: string]: unknown;
}

/** An operator in a separate process, with the permissions of the rendered RBAC. */
export interface RunningOperator {
  readonly pid: number;
  readonly log: readonly LogLine[];
  /** Its output without its log. */
  readonly output: readonly string[];
  /** Waits for a log line with this message. */
  untilLogged(message: string): Promise<LogLine>;
  /** Waits until it ends by itself, and returns the exit code. */
  untilEnded(): Promise<number>;
  /** Stops it and returns the exit code (null after SIGKILL). */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface StartOperatorOptions {
  readonly args?: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  /** Path of the program; default: the shipped one. That one and those of this folder run as bundles. */
  readonly program?: string;
  readonly kubeconfigPath?: string;
}

/** Starts `fairlead run`; it is stopped at the latest with the test. */
export async function startOperator(options: StartOperatorOptions = {}): Promise<RunningOperator> {
  const { args = [], environment = {} } = options;
  const { programs, operatorKubeconfigPath } = testCluster();
  const program = bundledPathOf(options.program, programs);
  const kubeconfig = options.kubeconfigPath ?? operatorKubeconfigPath;
  const off = ["--metrics-bind-address=0", "--health-probe-bind-address=0"];
  const command = [
    ...nodeFlags,
    program,
    "run",
    `--kubeconfig=${kubeconfig}`,
    "--log-format=json",
    ...off,
    ...args,
  ];
  const child = spawn(process.execPath, command, {
    env: { ...process.env, NODE_COMPILE_CACHE: programs.compileCache, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log: LogLine[] = [];
  const unparsed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      try {
        log.push(JSON.parse(line) as LogLine);
      } catch {
        unparsed.push(line);
      }
    });
  }
  const stop = (signal: NodeJS.Signals = "SIGTERM") => endProcess(child, signal);
  onTestFinished(async ({ task }) => {
    await stop("SIGKILL");
    if (task.result?.state === "fail") {
      const last = log.slice(-40).map((line) => JSON.stringify(line));
      process.stderr.write(`${[`operator ${child.pid}:`, ...unparsed, ...last].join("\n  ")}\n`);
    }
  });
  return {
    pid: child.pid ?? 0,
    log,
    output: unparsed,
    untilEnded: async () => {
      await eventually(() => child.exitCode !== null, { what: "the operator ends" });
      return child.exitCode ?? -1;
    },
    untilLogged: (message) =>
      eventually(
        () => {
          if (child.exitCode !== null)
            throw new Error(`the operator ended with ${child.exitCode}: ${unparsed.join("\n")}`);
          return log.find((line) => line.message === message);
        },
        { what: `the operator logs "${message}"` },
      ),
    stop,
  };
}

async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
  return child.exitCode;
}

/** A folder for one test, removed with it. */
export async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-harness-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
