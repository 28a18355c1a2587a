import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { bundleImplementation, implementationCrd } from "../cell/bundle.ts";
import { startControlPlane } from "../cell/control-plane.ts";
import { type BenchApi, benchSetsPath, openBenchApi, untilServed, unwatchedGroup } from "./bench-api.ts";
import { noisyNamespace } from "./noise.ts";
import { type BenchOperator, startOperator } from "./start-operator.ts";

/** Our implementation on a separate control plane, with a repository. */
export interface LoadRig {
  readonly api: BenchApi;
  readonly operatorPid: number;
  readonly repository: string;
  /** The operator's current metrics: the sum of each metric over its labels. */
  readonly metrics: BenchOperator["metrics"];
  stop(): Promise<void>;
}

export async function startLoadRig(report: (line: string) => void): Promise<LoadRig> {
  await using onFailure = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "fairlead-load-"));
  onFailure.defer(() => rm(folder, { recursive: true, force: true }));
  const bundlePath = await bundleImplementation(folder);
  const cluster = await startControlPlane({ env: process.env, report });
  onFailure.defer(() => cluster.stop());
  const api = await openBenchApi(cluster);
  onFailure.defer(async () => api.close());
  const repository = join(folder, "repository.git");
  await promisify(execFile)("git", ["init", "--quiet", "--bare", "--initial-branch=main", repository]);
  const unwatchedCrd = implementationCrd().replaceAll("bench.fairlead.dev", unwatchedGroup);
  for (const crd of [implementationCrd(), unwatchedCrd])
    await api.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", JSON.parse(crd));
  await api.send("POST", "/api/v1/namespaces", { metadata: { name: noisyNamespace } });
  const unwatchedPath = benchSetsPath.replace("bench.fairlead.dev", unwatchedGroup);
  for (const path of [benchSetsPath, unwatchedPath]) await untilServed(api, path);
  const slicesPath = join(folder, "slices");
  const operator = await startOperator({
    program: [bundlePath],
    operatorArguments: [`--repository=file://${repository}`, `--repository-cache=${join(folder, "cache")}`],
    environment: { BENCH_SLICES: slicesPath },
    metricsPort: 18_480,
    kubeconfigPath: cluster.operatorKubeconfigPath,
    logPath: join(folder, "operator.log"),
    report,
  });
  onFailure.defer(async () => {
    const slices = await readFile(slicesPath, "utf8").catch(() => "");
    const longest = slices.split("\n").map((line) => Number(/"cpuMs":([\d.]+)/.exec(line)?.[1] ?? 0));
    report(`Longest synchronous slice of the operator: ${Math.max(0, ...longest).toFixed(1)} ms of CPU`);
  });
  onFailure.defer(() => operator.stop());
  const stop = onFailure.move();
  const { pid: operatorPid, metrics } = operator;
  return { api, operatorPid, repository, metrics, stop: () => stop.disposeAsync() };
}
