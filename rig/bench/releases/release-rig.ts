import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { shippedKinds } from "../../../charts/bindings-delivery.ts";
import { crdsOf } from "../../../cli/commands/crds.ts";
import { nodeEnvironment, nodeFlags } from "../../../cli/image/node-flags.ts";
import { startControlPlane } from "../cell/control-plane.ts";
import { type BenchApi, openBenchApi } from "../load/bench-api.ts";
import { sumsOf } from "../load/load-rig.ts";
import { lastLines, stopOperator } from "../load/stop-operator.ts";
import { bundleOperator } from "./bundle-operator.ts";
import { callHook } from "./call-hook.ts";
import { namespaceCount, namespaceOf } from "./set-files.ts";
import { SourceRepository } from "./source-repository.ts";

/** The shipped operator on a separate control plane, and the repository of the Releases. */
export interface ReleaseRig {
  readonly api: BenchApi;
  readonly auditLogPath: string;
  readonly operatorPid: number;
  readonly source: SourceRepository;
  /** The current metrics: the sum of each metric over its labels. */
  metrics(): Promise<ReadonlyMap<string, number>>;
  /** Calls the operator's hook like a git host after a push. Default: for `source`. */
  callHook(url?: string): Promise<void>;
  /** Lines of the operator's log. */
  log(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export interface ReleaseRigOptions {
  readonly sets: number;
  /** Additional flags of the operator. */
  readonly operatorArguments: readonly string[];
  /** Maximum size of V8's heap in MiB. Default: that of the image without a limit of the container. */
  readonly heapMiB?: number;
  readonly report: (line: string) => void;
}

const metricsPort = 18_481;
const hookPort = 18_482;
const hookName = "bench";
const secret = "only-for-the-benchmark";

export async function startReleaseRig(options: ReleaseRigOptions): Promise<ReleaseRig> {
  const { sets, report, operatorArguments, heapMiB } = options;
  await using onFailure = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "fairlead-releases-"));
  onFailure.defer(() => rm(folder, { recursive: true, force: true }));
  const [program, source] = await Promise.all([
    bundleOperator(folder),
    SourceRepository.create(folder, sets),
    mkdir(join(folder, "hooks")),
  ]);
  await writeFile(join(folder, "hooks", hookName), secret);
  const cluster = await startControlPlane({ env: process.env, report });
  onFailure.defer(() => cluster.stop());
  const api = await openBenchApi(cluster);
  onFailure.defer(async () => api.close());
  await installKinds(api);
  const logPath = join(folder, "operator.log");
  const operator = startOperator(
    [
      ...nodeFlags,
      ...(heapMiB === undefined ? [] : [`--max-old-space-size=${heapMiB}`]),
      program,
      "run",
      `--kubeconfig=${cluster.operatorKubeconfigPath}`,
      "--leader-elect",
      "--leader-elect-namespace=default",
      `--metrics-bind-address=127.0.0.1:${metricsPort}`,
      "--health-probe-bind-address=0",
      "--releases",
      "--release-file-remotes",
      `--release-cache=${join(folder, "release-cache")}`,
      `--hook-bind-address=127.0.0.1:${hookPort}`,
      `--hook-secrets=${join(folder, "hooks")}`,
      ...operatorArguments,
    ],
    logPath,
  );
  onFailure.defer(async () => void (await stopOperator(operator, logPath)));
  await untilServing(operator, logPath);
  const stop = onFailure.move();
  return {
    ...{ api, source, auditLogPath: cluster.auditLogPath, operatorPid: operator.pid ?? 0 },
    async metrics() {
      return sumsOf(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text());
    },
    callHook: (url = source.url) => callHook({ port: hookPort, name: hookName, secret }, url),
    log: async () => (await readFile(logPath, "utf8")).split("\n"),
    async stop() {
      if (operator.exitCode !== null) report(`The operator had ended: ${await lastLines(logPath)}`);
      await stop.disposeAsync();
    },
  };
}

async function installKinds(api: BenchApi): Promise<void> {
  for (const crd of crdsOf(shippedKinds))
    await api.apply(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata.name}`, crd);
  for (let index = 0; index < namespaceCount; index += 1)
    await api.send("POST", "/api/v1/namespaces", { metadata: { name: namespaceOf(index) } });
  // The API server serves a new kind with a short delay.
  const releases = "/apis/fairlead.dev/v1alpha1/releases";
  while ((await api.send("GET", releases, undefined, [404, 429])) !== 200) await sleep(100);
}

function startOperator(command: readonly string[], logPath: string): ChildProcess {
  const operator = spawn(process.execPath, command, {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...nodeEnvironment },
  });
  operator.stderr.pipe(createWriteStream(logPath));
  return operator;
}

async function untilServing(operator: ChildProcess, logPath: string): Promise<void> {
  const serves = () => fetch(`http://127.0.0.1:${metricsPort}/metrics`).catch(() => undefined);
  while ((await serves()) === undefined) {
    if (operator.exitCode !== null) throw new Error(`The operator ended: ${await lastLines(logPath)}`);
    await sleep(100);
  }
}
