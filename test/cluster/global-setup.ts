import { dirname, join } from "node:path";
import type { TestProject } from "vitest/node";
import { readClusterRecord } from "../../cli/local-cluster/cluster-record.ts";
import { startLocalCluster } from "../../cli/local-cluster/local-cluster.ts";
import { type BundledPrograms, bundleTestPrograms } from "./bundled-programs.ts";
import { serveSecondCluster } from "./second-cluster.ts";
import { installSharedKinds } from "./shared-kinds.ts";

/** The properties of the shared cluster that tests need. */
export interface TestCluster {
  readonly kubeconfigPath: string;
  /** The user `operator`, without permissions until a test binds some. */
  readonly operatorKubeconfigPath: string;
  readonly auditLogPath: string;
  readonly kubectlPath: string;
}

/** The cluster that all tests of a run share. */
export interface SharedCluster extends TestCluster {
  /** Start of the run, in the format of the audit log. */
  readonly startedAt: string;
  readonly programs: BundledPrograms;
  readonly secondClusterUrl: string;
  /** Whether it continues to run after the tests. If not, they need not remove their namespaces. */
  readonly outlivesRun: boolean;
}

declare module "vitest" {
  interface ProvidedContext {
    readonly testCluster: SharedCluster;
  }
}

/**
 * Starts one cluster for all tests of a run, with CRDs and permissions. `FAIRLEAD_TEST_KUBECONFIG` is the kubeconfig of
 * a running cluster (`fairlead cluster up --name test`), which saves the start of 5 s.
 */
export default async function setUpCluster(project: TestProject): Promise<() => Promise<void>> {
  // The second project of cluster tests uses the start time and the installation of the first one.
  const isFirst = process.env["FAIRLEAD_TEST_STARTED"] === undefined;
  process.env["FAIRLEAD_TEST_STARTED"] ??= new Date().toISOString();
  const startedAt = process.env["FAIRLEAD_TEST_STARTED"];
  const bundled = isFirst ? bundleTestPrograms() : undefined;
  const second = isFirst ? await serveSecondCluster() : undefined;
  if (second !== undefined) process.env["FAIRLEAD_TEST_SECOND_CLUSTER"] = second.url;
  const secondClusterUrl = process.env["FAIRLEAD_TEST_SECOND_CLUSTER"] ?? "";
  const provide = async (found: TestCluster) => {
    if (bundled !== undefined)
      process.env["FAIRLEAD_TEST_PROGRAMS"] = JSON.stringify((await bundled).programs);
    const programs = JSON.parse(process.env["FAIRLEAD_TEST_PROGRAMS"] ?? "{}") as BundledPrograms;
    const outlivesRun = process.env["FAIRLEAD_TEST_CLUSTER_ENDS"] === undefined;
    const testCluster = { ...found, startedAt, programs, secondClusterUrl, outlivesRun };
    if (isFirst) await installSharedKinds(testCluster);
    project.provide("testCluster", testCluster);
  };
  const end = async () => {
    await second?.stop();
    await (await bundled)?.remove();
  };
  const given = process.env["FAIRLEAD_TEST_KUBECONFIG"];
  if (given !== undefined && given !== "") {
    const beside = (file: string) => join(dirname(given), file);
    await provide({
      kubeconfigPath: given,
      operatorKubeconfigPath: beside("kubeconfig-operator"),
      auditLogPath: beside("audit.log"),
      kubectlPath: readClusterRecord(dirname(given))?.binaries.kubectl ?? "kubectl",
    });
    return end;
  }
  // A build takes all processors, unlike the programs of a run.
  const env = { ...process.env, GOMAXPROCS: undefined };
  const cluster = await startLocalCluster({ name: "test", fsync: false, env, report: reporter() });
  const { kubeconfigPath, operatorKubeconfigPath, auditLogPath, kubectlPath = "kubectl" } = cluster;
  process.env["FAIRLEAD_TEST_CLUSTER_ENDS"] = "1";
  await provide({ kubeconfigPath, operatorKubeconfigPath, auditLogPath, kubectlPath });
  // The garbage collector discovers kinds at its start and every 30 s, and retries objects of unknown kinds with backoff.
  // Without this wait, dependents of a custom resource would not be deleted for a minute.
  if (cluster.components.includes("kube-controller-manager"))
    await cluster.restart("kube-controller-manager", { graceMs: 0 });
  // The second project of cluster tests uses the same cluster.
  process.env["FAIRLEAD_TEST_KUBECONFIG"] = kubeconfigPath;
  return async () => {
    await cluster.stop();
    await end();
  };
}

/** Reports a build, every 15 seconds, and nothing else: a start from the cache is too short. */
function reporter(): (line: string) => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  return (line) => {
    if (!line.startsWith("Building") || performance.now() - lastMs < 15_000) return;
    lastMs = performance.now();
    process.stderr.write(`${line}\n`);
  };
}
