import { Command, InvalidArgumentError } from "commander";
import { down, readStatus, up } from "../local-cluster/named-cluster.ts";
import { isOnPath } from "../local-cluster/search-path.ts";
import { fairleadLine, quoteForShell } from "../shell-text.ts";
import { printLine } from "../terminal-text.ts";
import { runClusterOperator } from "./cluster-operator.ts";
import { withProgress } from "./with-progress.ts";

/**
 * `fairlead cluster`: a real control plane on this machine, without containers. Its errors have messages for users; the
 * caller prints them.
 */
export function clusterCommand(): Command {
  const cluster = new Command("cluster").description(
    "Run a Kubernetes control plane on this machine, without containers",
  );
  const subcommand = (name: string, description: string) =>
    cluster.command(name).description(description).option("--name <name>", "name of the cluster", "local");

  subcommand(
    "up",
    "Start a cluster, or its stopped programs; the first start builds them, which takes 6 to 16 minutes",
  )
    .option("--nodes <count>", "simulated nodes", parseCount, 3)
    .option("--unsafe-no-fsync", "faster, but a power failure may lose data; not for measurements")
    .action(runUp);
  subcommand("status", "List the programs of a cluster; exits 1 unless all are healthy").action(runStatus);
  subcommand(
    "operator",
    "Run the operator that is installed in the cluster as a process, because its pods are simulated",
  )
    .option("--installation <name>", "name of the installation", "fairlead")
    .option("--namespace <name>", "namespace of the installation", "fairlead-system")
    .action(runOperatorOf);
  subcommand("down", "Stop a cluster and remove its data").action(runDown);
  return cluster;
}

interface NameOption {
  readonly name: string;
}

interface UpOptions extends NameOption {
  readonly nodes: number;
  readonly unsafeNoFsync?: true;
}

async function runUp({ name, nodes, unsafeNoFsync }: UpOptions): Promise<void> {
  const { cluster, outcome } = await withProgress(`Cluster "${name}"`, (report) =>
    up({ name, nodes, fsync: unsafeNoFsync !== true, env: process.env, report }),
  );
  const said = { started: "runs", resumed: "was restarted with its data", running: "is already running" }[
    outcome
  ];
  printLine(`Cluster "${name}" ${said}: ${cluster.server}`);
  printLine(`Kubeconfig: ${cluster.kubeconfigPath}`);
  const kubectl = cluster.kubectlPath;
  if (kubectl !== undefined && !(await isOnPath("kubectl", process.env))) printLine(`kubectl: ${kubectl}`);
  printLine(`export KUBECONFIG=${quoteForShell(cluster.kubeconfigPath)}`);
}

interface OperatorOptions extends NameOption {
  readonly installation: string;
  readonly namespace: string;
}

async function runOperatorOf({
  name: cluster,
  installation: name,
  namespace,
}: OperatorOptions): Promise<void> {
  await runClusterOperator({ cluster, name, namespace });
}

async function runStatus({ name }: NameOption): Promise<void> {
  const status = await readStatus({ name, env: process.env });
  if (status === undefined) {
    printLine(
      `There is no cluster "${name}". Start it: ${fairleadLine(["cluster", "up", "--name", name], process.env)}`,
    );
    process.exitCode = 1;
    return;
  }
  printLine(`Cluster "${name}": ${status.cluster.server}`);
  for (const { component, pid, state } of status.components) {
    printLine(
      `  ${component.padEnd(24)} ${state.padEnd(10)} ${pid === undefined ? "" : `pid ${pid}`}`.trimEnd(),
    );
  }
  printLine(`Kubeconfig: ${status.cluster.kubeconfigPath}`);
  if (status.components.some(({ state }) => state !== "healthy")) process.exitCode = 1;
}

async function runDown({ name }: NameOption): Promise<void> {
  const wasThere = await down({ name, env: process.env });
  printLine(
    wasThere
      ? `Cluster "${name}" is stopped and its data is removed`
      : `There is no cluster "${name}": nothing to do`,
  );
}

function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 100)
    throw new InvalidArgumentError("Expected a number from 1 to 100");
  return count;
}
