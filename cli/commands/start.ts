import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { Command } from "commander";
import type { KubernetesObject } from "../../crds/object.ts";
import { Promotion } from "../../crds/promotion.ts";
import { releaseKind } from "../../operator/desire/release/release-kind.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import { type AdminOptions, applyAsAdmin, deliveryOf, grantToGroup } from "../demo/admin.ts";
import { followEvents } from "../demo/last-events.ts";
import { linesToTry } from "../demo/lines-to-try.ts";
import { showLiveView } from "../demo/live-view.ts";
import { startOperatorProcess } from "../demo/operator-process.ts";
import { removeSamples } from "../demo/remove-samples.ts";
import { makeSample, readSamples, withSource } from "../demo/samples.ts";
import { createShopRepository } from "../demo/shop-repository.ts";
import { stopOnSignals, untilAborted } from "../demo/stop-signals.ts";
import { watchCluster } from "../demo/watched-cluster.ts";
import { type LocalCluster, startLocalCluster } from "../local-cluster/local-cluster.ts";
import { requireGit, requireWritable } from "../local-cluster/preconditions.ts";
import { isOnPath } from "../local-cluster/search-path.ts";
import { ApiClient } from "../release/api-client.ts";
import { printError, printLine } from "../terminal-text.ts";
import { crdsOf } from "./crds.ts";
import { withProgress } from "./with-progress.ts";

interface StartOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** `fairlead start`: runs a demo of all features, and removes it afterwards. */
export function startCommand({ kinds }: { readonly kinds: readonly SynthesizableKind[] }): Command {
  return new Command("start")
    .description("Run a demo until Ctrl-C: a local cluster, git repositories, the operator and the samples")
    .option("--kubeconfig <file>", "use this cluster instead of a local one")
    .option("--context <name>", "use this context of the kubeconfig")
    .addHelpText(
      "after",
      `
Ctrl-C stops and removes everything. On a cluster of your own, it removes the created samples and the objects that the
operator created for them; the CustomResourceDefinitions stay. The operator acts with the rights of the kubeconfig.`,
    )
    .action(async (options: StartOptions) => {
      const signal = stopOnSignals();
      try {
        await runStart(kinds, options, signal);
      } catch (error) {
        // The start was interrupted by Ctrl-C.
        if (!signal.aborted) throw error;
      }
    });
}

/** Runs the demo. At the end, also after a failure, ends everything that was started, in reverse order. */
async function runStart(
  kinds: readonly SynthesizableKind[],
  options: StartOptions,
  signal: AbortSignal,
): Promise<void> {
  await requireGit(process.env);
  await requireWritable(tmpdir(), { variable: "TMPDIR" });
  await using cleanup = new AsyncDisposableStack();
  const isLocal = options.kubeconfig === undefined && options.context === undefined;
  const local = isLocal ? await startCluster(signal) : undefined;
  if (local !== undefined) cleanup.defer(() => local.stop());
  const folder = await mkdtemp(join(tmpdir(), "fairlead-start-"));
  // Processes of an operator that was killed may still write there for a moment.
  cleanup.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

  const kubeconfig = local?.kubeconfigPath ?? (options.kubeconfig && resolve(options.kubeconfig));
  const { context } = options;
  const shown = [releaseKind, ...kinds];
  const { transport, stores, close } = await watchCluster(shown, { kubeconfig, context });
  cleanup.defer(close);
  const admin: AdminOptions = { transport, kinds: shown };
  for (const object of toInstall(kinds, local)) await applyAsAdmin(object, admin);
  printLine(`Installed ${shown.length} CustomResourceDefinitions`);

  const shop = await createShopRepository(folder);
  printLine(`Created the git repository ${shop.path} as the source of Releases`);
  const repository = join(folder, "rendered.git");
  await promisify(execFile)("git", ["init", "--quiet", "--bare", "--initial-branch=main", repository]);
  printLine(`Created the git repository ${repository} for the applied manifests`);

  const logPath = join(folder, "operator.log");
  const operator = startOperatorProcess({
    temporaryFolder: folder,
    logPath,
    args: [
      ...optional("kubeconfig", local?.operatorKubeconfigPath ?? kubeconfig),
      ...optional("context", context),
      `--repository=file://${repository}`,
      `--repository-cache=${join(folder, "cache")}`,
      "--releases",
      "--release-file-remotes",
      `--release-cache=${join(folder, "release-cache")}`,
      "--metrics-bind-address=0",
      "--health-probe-bind-address=0",
      "--log-format=text",
    ],
  });
  cleanup.defer(() => operator.stop());
  printLine(`Started the operator; its log is ${logPath}`);

  const made: KubernetesObject[] = [];
  // A local cluster is removed as a whole, so only remove samples from another cluster.
  if (local === undefined) cleanup.defer(() => removeSamples(made, admin));
  for (const sample of readSamples().map((one) => withSource(one, `file://${shop.path}`))) {
    if (await makeSample(sample, { ...admin, signal })) made.push(sample);
    else printLine(`Skipped ${sample.kind} ${sample.metadata.name}: it already exists`);
  }
  printLine(`Applied ${made.length} samples\n`);
  signal.throwIfAborted();

  const kubectl = (await isOnPath("kubectl", process.env)) ? undefined : local?.kubectlPath;
  const { workTree } = shop;
  const footer = linesToTry({
    kubeconfig,
    context,
    kubectl: kubectl ?? "kubectl",
    repository,
    workTree,
    approves: local !== undefined,
  });
  const events = followEvents(new ApiClient(transport));
  cleanup.defer(() => events.stop());
  // Do not show Promotions, because each commit and stage adds one. `fairlead pipeline` shows them.
  const listed = shown.filter(({ definition }) => definition !== Promotion);
  const stopView = showLiveView({ kinds: listed, stores, events, output: process.stdout, footer });
  const ended = await Promise.race([untilAborted(signal), operator.ended]);
  stopView();
  if (ended !== undefined) {
    process.exitCode = 1;
    const words = readFileSync(logPath, "utf8").trimEnd().split("\n").slice(-20).join("\n");
    printError(`\nfairlead: the operator ended (${ended}). Last log lines:\n${words}`);
  }
  printLine("\nStopping and removing everything");
}

async function startCluster(signal: AbortSignal): Promise<LocalCluster> {
  const cluster = await withProgress(
    "Starting a local cluster (the first start builds it in 6 to 16 minutes)",
    (report) => startLocalCluster({ name: "start", report, signal }),
  );
  printLine(`Started a local cluster at ${cluster.server}`);
  return cluster;
}

/** The objects to install. On a local cluster the operator runs as a user without permissions of its own. */
function toInstall(
  kinds: readonly SynthesizableKind[],
  local: LocalCluster | undefined,
): readonly KubernetesObject[] {
  return local === undefined
    ? crdsOf(kinds)
    : [
        ...crdsOf(kinds),
        ...grantToGroup(kinds, "fairlead-operators"),
        ...deliveryOf({ group: "fairlead-operators", user: "operator" }),
      ];
}

function optional(flag: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [`--${flag}=${value}`];
}
