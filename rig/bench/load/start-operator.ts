import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { nodeEnvironment, nodeFlags } from "../../../cli/image/node-flags.ts";

const longestStopMs = 60_000;

export interface BenchOperator {
  readonly pid: number;
  /** The current metrics: the sum of each metric over its labels. */
  metrics(): Promise<ReadonlyMap<string, number>>;
  /** Stops the operator with SIGTERM, and reports if it had already ended. */
  stop(): Promise<void>;
}

export interface StartOperatorOptions {
  /** Arguments of Node after the flags of the image, up to the arguments of the operator. */
  readonly program: readonly string[];
  readonly operatorArguments: readonly string[];
  /** Additional environment variables. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Port of the metrics. That of the probes is ten higher. */
  readonly metricsPort: number;
  readonly kubeconfigPath: string;
  readonly logPath: string;
  readonly report: (line: string) => void;
}

/**
 * Starts an operator with a leader Lease, and waits until it is ready: a measurement does not include its start.
 *
 * @throws Error with the end of its log if it ends before that.
 */
export async function startOperator(options: StartOperatorOptions): Promise<BenchOperator> {
  const { program, operatorArguments, environment, metricsPort, kubeconfigPath, logPath, report } = options;
  const probePort = metricsPort + 10;
  const operator = spawn(
    process.execPath,
    [
      ...nodeFlags,
      ...program,
      `--kubeconfig=${kubeconfigPath}`,
      "--leader-elect",
      "--leader-elect-namespace=default",
      `--metrics-bind-address=127.0.0.1:${metricsPort}`,
      `--health-probe-bind-address=127.0.0.1:${probePort}`,
      ...operatorArguments,
    ],
    { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, ...nodeEnvironment, ...environment } },
  );
  operator.stderr.pipe(createWriteStream(logPath));
  const isReady = () =>
    fetch(`http://127.0.0.1:${probePort}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (operator.exitCode !== null || operator.signalCode !== null)
      throw new Error(`The operator ended: ${await lastLines(logPath)}`);
    await sleep(100);
  }
  return {
    pid: operator.pid ?? 0,
    metrics: async () => sumsOf(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()),
    async stop() {
      if (!(await stopOperator(operator, logPath)))
        report(`The operator had ended: ${await lastLines(logPath)}`);
    },
  };
}

/**
 * Stops an operator with SIGTERM.
 *
 * @returns Whether it was running.
 * @throws Error if it has not ended after a minute, which is a defect of the operator. It is killed.
 */
async function stopOperator(operator: ChildProcess, logPath: string): Promise<boolean> {
  if (operator.exitCode !== null || !operator.kill("SIGTERM")) return false;
  try {
    await once(operator, "exit", { signal: AbortSignal.timeout(longestStopMs) });
    return true;
  } catch (cause) {
    operator.kill("SIGKILL");
    throw new Error(`The operator did not end within 60 s: ${await lastLines(logPath)}`, { cause });
  }
}

/** The end of a log, for an error message. */
async function lastLines(logPath: string): Promise<string> {
  return (await readFile(logPath, "utf8").catch(() => "")).slice(-2_000);
}

/** Parses the text format of Prometheus, and returns the sum of every metric over its labels. Pure. */
function sumsOf(text: string): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const line of text.split("\n")) {
    const [, name, value] = /^([a-z_:][\w:]*)(?:\{.*\})? (\S+)$/i.exec(line) ?? [];
    if (name !== undefined) sums.set(name, (sums.get(name) ?? 0) + Number(value));
  }
  return sums;
}
