import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Command } from "commander";
import { parseAllDocuments } from "yaml";
import type { KubernetesObject } from "../../crds/object.ts";
import { loadClusterAccess } from "../../operator/cluster/kube-config.ts";
import { ApiTransport } from "../../operator/cluster/transport.ts";
import { WatchConnection } from "../../operator/cluster/watch-connection.ts";
import { KubeWatchSource } from "../../operator/cluster/watch-source.ts";
import { systemClock } from "../../operator/runtime/clock.ts";
import { KindStores } from "../../operator/runtime/kind-stores.ts";
import { createLogger } from "../../operator/telemetry/log.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import { applyAsAdmin, grantToGroup } from "../demo/admin.ts";
import { showLiveView } from "../demo/live-view.ts";
import { startOperatorProcess } from "../demo/operator-process.ts";
import { type LocalCluster, startLocalCluster } from "../local-cluster/local-cluster.ts";
import { isOnPath } from "../local-cluster/search-path.ts";
import { crdsOf } from "./crds.ts";
import { withProgress } from "./with-progress.ts";

interface StartOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** `fairlead start`: everything at once, to look at, and nothing of it left afterwards. */
export function startCommand({ kinds }: { readonly kinds: readonly SynthesizableKind[] }): Command {
  return new Command("start")
    .description(
      "Show it all: a local cluster, a git repository, the operator and the samples, live until Ctrl-C",
    )
    .option("--kubeconfig <file>", "use this cluster instead of a local one")
    .option("--context <name>", "use this context of the kubeconfig")
    .action((options: StartOptions) => runStart(kinds, options));
}

/** Ends what was begun, last first, however the command ends. */
async function runStart(kinds: readonly SynthesizableKind[], options: StartOptions): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const stopped = stopOnSignals();

  const cluster =
    options.kubeconfig === undefined && options.context === undefined ? await ownCluster() : undefined;
  if (cluster !== undefined) cleanup.defer(() => cluster.stop());
  const folder = await mkdtemp(join(tmpdir(), "fairlead-start-"));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));

  const kubeconfig = cluster?.kubeconfigPath ?? options.kubeconfig;
  const { transport, stores } = await connect(
    kinds,
    { ...options, ...(kubeconfig && { kubeconfig }) },
    cleanup,
  );
  const install =
    cluster === undefined ? crdsOf(kinds) : [...crdsOf(kinds), ...grantToGroup(kinds, "fairlead-operators")];
  for (const object of install) await applyAsAdmin(object, { transport, kinds });
  say(`Installed ${kinds.length} CustomResourceDefinitions`);

  const repository = join(folder, "rendered.git");
  await promisify(execFile)("git", ["init", "--quiet", "--bare", "--initial-branch=main", repository]);
  say(`Created the git repository ${repository}`);

  const logPath = join(folder, "operator.log");
  const operator = startOperatorProcess({
    args: operatorArgs(cluster, options, repository, folder),
    logPath,
  });
  cleanup.defer(() => operator.stop());
  say(`Started the operator; its log is ${logPath}`);
  const samples = readSamples();
  for (const sample of samples) await applyWhenServed(sample, { transport, kinds });
  say(`Applied ${samples.length} samples\n`);

  const footer = await linesToTry({ cluster, kubeconfig, repository });
  if (!process.stdout.isTTY) say(footer.join("\n"));
  cleanup.defer(showLiveView({ kinds, stores, output: process.stdout, footer }));
  const ended = await Promise.race([stopped, operator.ended]);
  if (typeof ended === "number" && ended !== 0) {
    process.exitCode = 1;
    process.stderr.write(`fairlead: the operator ended:\n${readFileSync(logPath, "utf8").slice(-2_000)}`);
  }
  say("\nStopping, and removing everything that was started");
}

/** Signals of one keypress: npm passes on the Ctrl-C that the terminal has sent to everybody. */
const oneKeypressMs = 1_000;

/** Resolves with the first signal to stop. A later one is from somebody who does not want to wait. */
function stopOnSignals(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let firstMs: number | undefined;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      firstMs ??= performance.now();
      if (performance.now() - firstMs > oneKeypressMs) process.exit(1);
      resolve();
    });
  }
  return promise;
}

async function ownCluster(): Promise<LocalCluster> {
  const cluster = await withProgress(
    "Starting a local cluster (the first time builds it, 6 to 9 minutes)",
    (report) => startLocalCluster({ name: "start", report }),
  );
  say(`Started a local cluster at ${cluster.server}`);
  return cluster;
}

interface Connection {
  readonly transport: ApiTransport;
  readonly stores: KindStores;
}

/** A connection as the user who runs this, and a live copy of everything that the table shows. */
async function connect(
  kinds: readonly SynthesizableKind[],
  options: StartOptions,
  cleanup: AsyncDisposableStack,
): Promise<Connection> {
  const clock = systemClock();
  const access = await loadClusterAccess({ ...options, env: process.env, clock });
  const userAgent = "fairlead-start";
  const transport = new ApiTransport(access, { clock, userAgent });
  cleanup.defer(() => transport.close());
  const connection = new WatchConnection(access, { clock, userAgent });
  const log = createLogger({ clock, level: "error" });
  const stores = new KindStores({
    kinds,
    namespaces: [],
    clock,
    random: Math.random,
    log,
    sourceOf: (kind, { selector }) =>
      new KubeWatchSource({ kind, labelSelector: selector, transport, connection, clock }),
  });
  const watching = new AbortController();
  const reflectors = Promise.all(stores.watched.map(({ reflector }) => reflector.run(watching.signal)));
  cleanup.defer(async () => {
    watching.abort();
    await reflectors;
  });
  return { transport, stores };
}

function operatorArgs(
  cluster: LocalCluster | undefined,
  { kubeconfig, context }: StartOptions,
  repository: string,
  folder: string,
): readonly string[] {
  const file = cluster?.operatorKubeconfigPath ?? kubeconfig;
  return [
    ...(file === undefined ? [] : [`--kubeconfig=${file}`]),
    ...(context === undefined ? [] : [`--context=${context}`]),
    `--repository=file://${repository}`,
    `--repository-cache=${join(folder, "cache")}`,
    "--metrics-bind-address=0",
    "--health-probe-bind-address=0",
    "--log-format=text",
  ];
}

/** The samples that ship; in an installed package they lie beside the built sources. */
function readSamples(): readonly KubernetesObject[] {
  const folder = findSamples();
  return readdirSync(folder)
    .toSorted()
    .flatMap((file) => parseAllDocuments(readFileSync(join(folder, file), "utf8")))
    .map((document) => document.toJS() as KubernetesObject);
}

function findSamples(): string {
  const places = ["../../samples", "../../../../samples"].map((path) => join(import.meta.dirname, path));
  const found = places.find((place) => {
    try {
      return readdirSync(place).length > 0;
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error("Cannot find the samples: the package is not complete");
  return found;
}

/** A CRD is served a moment after it was accepted. */
async function applyWhenServed(
  object: KubernetesObject,
  options: Parameters<typeof applyAsAdmin>[1],
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await applyAsAdmin(object, options);
      return;
    } catch (error) {
      if (tries === 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

interface PlaceToTry {
  readonly cluster: LocalCluster | undefined;
  readonly kubeconfig: string | undefined;
  readonly repository: string;
}

async function linesToTry({ cluster, kubeconfig, repository }: PlaceToTry): Promise<readonly string[]> {
  const program = (await isOnPath("kubectl", process.env)) ? "kubectl" : (cluster?.kubectlPath ?? "kubectl");
  const kubectl = kubeconfig === undefined ? program : `${program} --kubeconfig ${kubeconfig}`;
  return [
    "Try in another terminal (Ctrl-C here ends everything):",
    `  ${kubectl} patch echo hello-world --type merge -p '{"spec":{"message":"Ahoy"}}'`,
    `  git -C ${repository} log --stat`,
    `  ${kubectl} delete deployment podset-sample`,
  ];
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
