import { groupKindOf, type LiveObject, type ObjectKind } from "../crds/object.ts";
import { folderOf } from "../synth/file-tree.ts";
import { createSynthesizer } from "../synth/synthesizer.ts";
import { KubeEventRecorder } from "./cluster/events.ts";
import { KubeCluster } from "./cluster/kube-cluster.ts";
import { reducePod, reduceToMetadata, type Transform } from "./cluster/live-object.ts";
import { WatchConnection } from "./cluster/watch-connection.ts";
import { KubeWatchSource } from "./cluster/watch-source.ts";
import { composeElection, leaseOf } from "./compose-election.ts";
import { composePublisher } from "./compose-publisher.ts";
import { composeTracing } from "./compose-tracing.ts";
import { createController, type KindController } from "./controllers.ts";
import { type ComposeInput, type Ground, layGround } from "./ground.ts";
import { type Endpoint, Operator } from "./operator.ts";
import { createOperatorEvents } from "./operator-events.ts";
import { reportFences } from "./report-fences.ts";
import type { Election } from "./runtime/election.ts";
import { KindStores, type WatchRole } from "./runtime/kind-stores.ts";
import { metricsRoute } from "./runtime/metrics-route.ts";
import { probeRoute } from "./runtime/probes.ts";

export interface ComposeOptions {
  /** Who may write. Tests put another one in, to see what holds without it; `fairlead run` has no option for it. */
  readonly elect?: typeof composeElection;
}

/** Puts the parts of an operator together. Nothing runs yet, and nothing was written. */
export async function composeOperator(
  input: ComposeInput,
  { elect = composeElection }: ComposeOptions = {},
): Promise<Operator> {
  const { config, access, clock, random, log, kinds } = input;
  const ground = await layGround(input);
  const { metrics, transport, userAgent } = ground;
  const connection = new WatchConnection(access, { clock, userAgent, onRequest: ground.onRequest });
  const stores = new KindStores({
    kinds,
    namespaces: config.namespaces,
    transformOf,
    clock,
    random,
    log,
    sourceOf: (kind, { role, selector, namespace }) =>
      new KubeWatchSource({
        kind,
        namespace,
        labelSelector: selector,
        transform: transformOf(kind, { role }),
        transport,
        connection,
        clock,
      }),
  });
  const lost = Promise.withResolvers<void>();
  const { election, confirmLeadership, closeElection } = elect(ground, lost.resolve);
  const { fence } = election;
  const controllers: KindController[] = [];
  const events = new KubeEventRecorder({ transport, fence, clock, random, instance: input.identity });
  const publisher = await composePublisher(ground, {
    stores,
    election,
    confirmLeadership,
    controllers,
    announce: createOperatorEvents({
      events,
      election,
      lease: leaseOf(ground),
      namespaces: config.namespaces,
    }),
  });
  if (publisher !== undefined) metrics?.publish.watch(() => publisher.stats);
  metrics?.events.watch(() => events.stats);
  metrics?.stores.watch(stores.watched);
  const cluster = new KubeCluster({ transport, fence, clock });
  const synthesizer = createSynthesizer();
  const parts = await composeTracing({ cluster, publisher, synthesize: synthesizer }, config);
  for (const kind of kinds) {
    const onGone = (resource: LiveObject): void => {
      synthesizer.forget(resource.metadata.uid);
      publisher?.retire(folderOf(kind.definition, resource));
    };
    controllers.push(
      createController({
        ...input,
        ...parts,
        kind,
        stores,
        events,
        onGone,
        metrics,
        isLeading: () => election.isLeading,
        workers: config.workers,
      }),
    );
  }
  return new Operator({
    stores,
    controllers,
    election,
    leaseLost: lost.promise,
    reportFences: () => reportFences(ground),
    publisher,
    closeEvents: () => events.close(),
    endpoints: composeEndpoints(ground, stores, election),
    close: async () => {
      await closeElection();
      await connection.close();
      await transport.close();
    },
    clock,
    log,
  });
}

/** Stores keep what charts, statuses and health read, and no more. */
function transformOf({ kind }: ObjectKind, { role }: { readonly role: WatchRole }): Transform {
  if (role === "namespace") return reduceToMetadata;
  return role === "related" && kind === "Pod" ? reducePod : (object) => object;
}

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
    { serves: "probes", address: config.healthProbeBindAddress, route: probes },
    ...(metrics === undefined
      ? []
      : [
          {
            serves: "metrics",
            address: config.metricsBindAddress,
            route: metricsRoute(() => metrics.expose()),
          },
        ]),
  ];
}
