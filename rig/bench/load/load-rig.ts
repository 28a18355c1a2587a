import { execFile, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { nodeEnvironment, nodeFlags } from "../../../cli/image/node-flags.ts";
import { bundleImplementation, implementationCrd } from "../cell/bundle.ts";
import { startControlPlane } from "../cell/control-plane.ts";
import { type BenchApi, benchSetsPath, openBenchApi, unwatchedGroup } from "./bench-api.ts";
import { noisyNamespace } from "./noise.ts";
import { lastLines, stopOperator } from "./stop-operator.ts";

/** Our implementation on a separate control plane, with a repository. */
export interface LoadRig {
  readonly api: BenchApi;
  readonly operatorPid: number;
  readonly repository: string;
  /** The operator's current metrics: the sum of each metric over its labels. */
  metrics(): Promise<ReadonlyMap<string, number>>;
  stop(): Promise<void>;
}

const metricsPort = 18_480;

export async function startLoadRig(report: (line: string) => void): Promise<LoadRig> {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-load-"));
  const bundlePath = await bundleImplementation(folder);
  const cluster = await startControlPlane({ env: process.env, report });
  const api = await openBenchApi(cluster);
  const repository = join(folder, "repository.git");
  await promisify(execFile)("git", ["init", "--quiet", "--bare", "--initial-branch=main", repository]);
  const unwatchedCrd = implementationCrd().replaceAll("bench.fairlead.dev", unwatchedGroup);
  for (const crd of [implementationCrd(), unwatchedCrd])
    await api.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", JSON.parse(crd));
  await api.send("POST", "/api/v1/namespaces", { metadata: { name: noisyNamespace } });
  // The API server serves a new kind with a short delay.
  const unwatchedPath = benchSetsPath.replace("bench.fairlead.dev", unwatchedGroup);
  for (const path of [benchSetsPath, unwatchedPath])
    while ((await api.send("GET", path, undefined, [404, 429])) !== 200) await sleep(100);
  const operator = spawn(
    process.execPath,
    [
      ...nodeFlags,
      bundlePath,
      `--kubeconfig=${cluster.operatorKubeconfigPath}`,
      "--leader-elect",
      "--leader-elect-namespace=default",
      `--metrics-bind-address=127.0.0.1:${metricsPort}`,
      "--health-probe-bind-address=0",
      `--repository=file://${repository}`,
      `--repository-cache=${join(folder, "cache")}`,
    ],
    {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, ...nodeEnvironment, BENCH_SLICES: join(folder, "slices") },
    },
  );
  const logPath = join(folder, "operator.log");
  operator.stderr.pipe(createWriteStream(logPath));
  const pid = operator.pid ?? 0;
  const serves = () => fetch(`http://127.0.0.1:${metricsPort}/metrics`).catch(() => undefined);
  while ((await serves()) === undefined && operator.exitCode === null) await sleep(100);
  return {
    api,
    operatorPid: pid,
    repository,
    async metrics() {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      return sumsOf(text);
    },
    async stop() {
      if (!(await stopOperator(operator, logPath)))
        report(`The operator had ended: ${await lastLines(logPath)}`);
      const slices = await readFile(join(folder, "slices"), "utf8").catch(() => "");
      const longest = slices.split("\n").map((line) => Number(/"cpuMs":([\d.]+)/.exec(line)?.[1] ?? 0));
      report(`Longest synchronous slice of the operator: ${Math.max(0, ...longest).toFixed(1)} ms of CPU`);
      api.close();
      await cluster.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Parses the text format of Prometheus, and returns the sum of every metric over its labels. Pure. */
export function sumsOf(text: string): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const line of text.split("\n")) {
    const [, name, value] = /^([a-z_:][\w:]*)(?:\{.*\})? (\S+)$/i.exec(line) ?? [];
    if (name !== undefined) sums.set(name, (sums.get(name) ?? 0) + Number(value));
  }
  return sums;
}
