import { groupKindOf, type LiveObject } from "../crds/object.ts";
import { folderOf } from "../synth/file-tree.ts";
import type { SynthesizableKind } from "../synth/synthesize.ts";
import { createSynthesizer } from "../synth/synthesizer.ts";
import type { ClusterAccess } from "./cluster/cluster-access.ts";
import { KubeEventRecorder } from "./cluster/events.ts";
import { KubeCluster } from "./cluster/kube-cluster.ts";
import { KubeLeaseClient } from "./cluster/lease-client.ts";
import { reducePod, reduceToMetadata, type Transform } from "./cluster/live-object.ts";
import { ApiTransport } from "./cluster/transport.ts";
import { WatchConnection } from "./cluster/watch-connection.ts";
import { KubeWatchSource } from "./cluster/watch-source.ts";
import type { OperatorConfig } from "./config.ts";
import { createController, type KindController } from "./controllers.ts";
import { createFolderClaims } from "./folder-claims.ts";
import { createGitPublisher, type GitPublisher } from "./git/git-publisher.ts";
import { type Endpoint, Operator } from "./operator.ts";
import type { Clock, Fence, Logger, PublishOffer, Random } from "./ports.ts";
import { type Election, NoElection } from "./runtime/election.ts";
import { KindStores, NAMESPACE, type WatchRole } from "./runtime/kind-stores.ts";
import { LeaderElector } from "./runtime/leader.ts";
import { metricsRoute } from "./runtime/metrics-route.ts";
import { probeRoute } from "./runtime/probes.ts";
import type { Metrics } from "./telemetry/metrics.ts";
import { version } from "./version.ts";

export interface ComposeInput {
  readonly kinds: readonly SynthesizableKind[];
  readonly config: OperatorConfig;
  readonly access: ClusterAccess;
  readonly environment: NodeJS.ProcessEnv;
  /** Names this instance: the pod's name inside a cluster, elsewhere host name and a UUID. */
  readonly identity: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** What several parts share. */
interface Ground extends ComposeInput {
  readonly userAgent: string;
  readonly metrics: Metrics | undefined;
  readonly transport: ApiTransport;
  readonly onRequest: (request: { code: string; method: string; host: string }) => void;
}

/** Puts the parts of an operator together. Nothing runs yet, and nothing was written. */
export async function composeOperator(input: ComposeInput): Promise<Operator> {
  const { config, access, clock, random, log, kinds } = input;
  const ground = await layGround(input);
  const { metrics, transport, userAgent } = ground;
  const connection = new WatchConnection(access, { clock, userAgent });
  const stores = new KindStores({
    kinds,
    namespaces: config.namespaces,
    clock,
    random,
    log,
    sourceOf: (kind, { role, selector, namespace }) =>
      new KubeWatchSource({
        kind,
        namespace,
        labelSelector: selector,
        transform: transformOf(role, kind.kind),
        transport,
        connection,
        clock,
      }),
  });
  const lost = Promise.withResolvers<void>();
  const { election, confirmLeadership, closeElection } = composeElection(ground, lost.resolve);
  const { fence } = election;
  const controllers: KindController[] = [];
  const publisher = await composePublisher(ground, { stores, election, confirmLeadership, controllers });
  const events = new KubeEventRecorder({ transport, fence, clock, random, instance: input.identity });
  const cluster = new KubeCluster({ transport, fence, clock });
  const synthesize = createSynthesizer();
  for (const kind of kinds) {
    const onGone = (resource: LiveObject): void => publisher?.retire(folderOf(kind.definition, resource));
    const { workers } = config;
    controllers.push(
      createController({
        ...input,
        kind,
        stores,
        cluster,
        publisher,
        events,
        synthesize,
        onGone,
        metrics,
        workers,
      }),
    );
  }
  return new Operator({
    stores,
    controllers,
    election,
    leaseLost: lost.promise,
    publisher,
    endpoints: composeEndpoints(ground, stores, election),
    close: async () => {
      await closeElection();
      await transport.close();
    },
    clock,
    log,
  });
}

async function layGround(input: ComposeInput): Promise<Ground> {
  const { config, access, clock } = input;
  // Imported only where it is wanted: the library behind it costs memory.
  const metrics =
    config.metricsBindAddress === "0" ? undefined : new (await import("./telemetry/metrics.ts")).Metrics();
  const userAgent = `fairlead/${version}`;
  const onRequest: Ground["onRequest"] = ({ code, method, host }) =>
    metrics?.requested(method, host, code === "<error>" ? undefined : Number(code));
  const transport = new ApiTransport(access, { clock, userAgent, onRequest });
  return { ...input, userAgent, metrics, transport, onRequest };
}

/** Stores keep what charts, statuses and health read, and no more. */
function transformOf(role: WatchRole, kind: string): Transform {
  if (role === "namespace") return reduceToMetadata;
  return role === "related" && kind === "Pod" ? reducePod : (object) => object;
}

interface ComposedElection {
  readonly election: Election;
  readonly confirmLeadership: () => Promise<boolean>;
  readonly closeElection: () => Promise<void>;
}

function composeElection(ground: Ground, onLost: () => void): ComposedElection {
  const { config, access, clock, random, log, identity, userAgent, onRequest, metrics } = ground;
  if (!config.leaderElect) {
    return {
      election: new NoElection(),
      confirmLeadership: async () => true,
      closeElection: async () => undefined,
    };
  }
  const {
    leaseDuration: leaseDurationMs,
    renewDeadline: renewDeadlineMs,
    retryPeriod: retryPeriodMs,
  } = config;
  const [namespace, name] = leaseOf(ground);
  const client = new KubeLeaseClient({
    access,
    clock,
    namespace,
    name,
    userAgent,
    renewDeadlineMs,
    onRequest,
  });
  const observer = metrics?.leader(name);
  const election = new LeaderElector({
    client,
    identity,
    times: { leaseDurationMs, renewDeadlineMs, retryPeriodMs },
    clock,
    random,
    log,
    ...(observer && { observer }),
    onStoppedLeading: (why) => {
      if (why === "lost") onLost();
    },
  });
  return {
    election,
    confirmLeadership: async () => {
      const lease = await client.get({ signal: AbortSignal.timeout(renewDeadlineMs) });
      return lease?.spec?.holderIdentity === identity;
    },
    closeElection: () => client.close(),
  };
}

/** Namespace and name of the Lease. */
function leaseOf({ config, access }: Pick<Ground, "config" | "access">): readonly [string, string] {
  return [config.leaderElectNamespace ?? access.namespace, config.leaderElectId];
}

interface PublisherParts {
  readonly stores: KindStores;
  readonly election: Election;
  readonly confirmLeadership: () => Promise<boolean>;
  /** Filled later: an answer of git puts keys back into their queues. */
  readonly controllers: readonly KindController[];
}

async function composePublisher(ground: Ground, parts: PublisherParts): Promise<GitPublisher | undefined> {
  const { config, kinds, clock, random, log, transport, environment } = ground;
  const { stores, election, confirmLeadership, controllers } = parts;
  if (config.repository === undefined) return undefined;
  // Reading it is no write, and asks for no leadership.
  const reader = new KubeCluster({ transport, fence: noFence, clock });
  const system = await reader.read({ kind: NAMESPACE, namespace: undefined, name: "kube-system" });
  const requeue = (owners: readonly PublishOffer["owner"][]): void => {
    for (const { groupKind, key } of owners)
      controllers.find(({ name }) => name === groupKind)?.queue.add(key);
  };
  return createGitPublisher({
    repository: config.repository,
    branch: config.repositoryBranch,
    root: config.repositoryPath,
    credentialsDirectory: config.repositoryCredentials,
    cacheDirectory: config.repositoryCache,
    owner: { cluster: system?.metadata.uid ?? "", lease: leaseOf(ground).join("/") },
    version,
    clock,
    random,
    log: log.child({ controller: "repository" }),
    fence: election.fence,
    term: () => election.term,
    confirmLeadership,
    claimOf: createFolderClaims({ kinds: kinds.map(({ definition }) => definition), stores }),
    onChange: requeue,
    environment,
  });
}

const noFence: Fence = { check() {} };

function composeEndpoints(ground: Ground, stores: KindStores, election: Election): readonly Endpoint[] {
  const { config, log, metrics } = ground;
  const checkSources = (): void => {
    const late = stores.watched.filter(
      ({ store, reflector }) => !store.hasSynced && reflector.state.state !== "waiting-for-kind",
    );
    if (late.length > 0)
      throw new Error(`not listed yet: ${late.map(({ kind }) => groupKindOf(kind)).join(", ")}`);
  };
  const probes = probeRoute({
    healthz: { ping: () => undefined, leaderElection: () => election.checkRenewal() },
    readyz: { ping: () => undefined, sources: checkSources },
    log,
  });
  return [
    { address: config.healthProbeBindAddress, route: probes },
    ...(metrics === undefined
      ? []
      : [{ address: config.metricsBindAddress, route: metricsRoute(() => metrics.expose()) }]),
  ];
}
