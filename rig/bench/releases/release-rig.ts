import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shippedKinds } from "../../../charts/bindings-delivery.ts";
import { crdsOf } from "../../../cli/commands/crds.ts";
import { startControlPlane } from "../cell/control-plane.ts";
import { type BenchApi, openBenchApi, untilServed } from "../load/bench-api.ts";
import { type BenchOperator, startOperator } from "../load/start-operator.ts";
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
  readonly metrics: BenchOperator["metrics"];
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
  const operator = await startOperator({
    program: [...(heapMiB === undefined ? [] : [`--max-old-space-size=${heapMiB}`]), program, "run"],
    operatorArguments: [
      "--releases",
      "--release-file-remotes",
      `--release-cache=${join(folder, "release-cache")}`,
      `--hook-bind-address=127.0.0.1:${hookPort}`,
      `--hook-secrets=${join(folder, "hooks")}`,
      ...operatorArguments,
    ],
    metricsPort: 18_481,
    kubeconfigPath: cluster.operatorKubeconfigPath,
    ...{ logPath, report },
  });
  onFailure.defer(() => operator.stop());
  const stop = onFailure.move();
  return {
    ...{ api, source, auditLogPath: cluster.auditLogPath },
    ...{ operatorPid: operator.pid, metrics: operator.metrics },
    callHook: (url = source.url) => callHook({ port: hookPort, name: hookName, secret }, url),
    log: async () => (await readFile(logPath, "utf8")).split("\n"),
    stop: () => stop.disposeAsync(),
  };
}

async function installKinds(api: BenchApi): Promise<void> {
  for (const crd of crdsOf(shippedKinds))
    await api.apply(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata.name}`, crd);
  for (let index = 0; index < namespaceCount; index += 1)
    await api.send("POST", "/api/v1/namespaces", { metadata: { name: namespaceOf(index) } });
  await untilServed(api, "/apis/fairlead.dev/v1alpha1/releases");
}
