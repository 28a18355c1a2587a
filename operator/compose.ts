import type { LiveObject, ObjectKind } from "../crds/object.ts";
import { folderOf } from "../synth/file-tree.ts";
import { createSynthesizer } from "../synth/synthesizer.ts";
import { KubeEventRecorder } from "./cluster/events.ts";
import { holderOf } from "./cluster/impersonation.ts";
import { KubeCluster } from "./cluster/kube-cluster.ts";
import { reducePod, reduceToMetadata, type Transform } from "./cluster/live-object.ts";
import { RecordKey } from "./cluster/record-key.ts";
import { WatchConnection } from "./cluster/watch-connection.ts";
import { KubeWatchSource } from "./cluster/watch-source.ts";
import { composeElection, leaseOf, recordKeyPlaceOf } from "./compose/compose-election.ts";
import { composeEndpoints } from "./compose/compose-endpoints.ts";
import { composePublisher } from "./compose/compose-publisher.ts";
import { composeTracing } from "./compose/compose-tracing.ts";
import type { KindController } from "./compose/controllers.ts";
import { Operator } from "./compose/operator.ts";
import { createOperatorEvents } from "./compose/operator-events.ts";
import { reportFences } from "./compose/report-fences.ts";
import { reportOwnIsolation, reportZoneIsolation } from "./compose/report-isolation.ts";
import { type ComposeInput, createSharedParts } from "./compose/shared-parts.ts";
import { composeDelivery, createOwnClaims, kindsBeside, repositoryOf } from "./desire/compose-delivery.ts";
import { createKindController } from "./desire/kind-controller.ts";
import { createShapeOf } from "./engine/declared-shapes.ts";
import { placeIdOf } from "./engine/place-id.ts";
import { KindStores, type KindStoresInput, type WatchRole } from "./runtime/kind-stores.ts";

export interface ComposeOptions {
  /** Leader election. Tests replace it, to see which guarantees hold without it; `fairlead run` has no option for it. */
  readonly elect?: typeof composeElection;
}

/** Creates the parts of an operator. Nothing runs yet, and nothing was written. */
export async function composeOperator(
  input: ComposeInput,
  { elect = composeElection }: ComposeOptions = {},
): Promise<Operator> {
  const { config, access, clock, random, log, kinds } = input;
  const shared = await createSharedParts(input);
  const { metrics, transport, userAgent } = shared;
  reportOwnIsolation(shared);
  reportZoneIsolation(shared);
  const connection = new WatchConnection(access, {
    clock,
    userAgent,
    onRequest: shared.onRequest,
    onDate: shared.onDate,
  });
  const sourceOf: KindStoresInput["sourceOf"] = (kind, { role, selector, namespace }) => {
    const transform = transformOf(kind, { role });
    return new KubeWatchSource({
      kind,
      namespace,
      labelSelector: selector,
      ...(transform && { transform }),
      transport,
      connection,
      clock,
    });
  };
  const watchedKinds = [...kinds, ...kindsBeside(config)];
  const shapeOf = createShapeOf(watchedKinds);
  const stores = new KindStores({
    kinds: watchedKinds,
    namespaces: config.namespaces,
    transformOf,
    clock,
    random,
    log,
    sourceOf,
  });
  const lost = Promise.withResolvers<void>();
  const { election, confirmLeadership, closeElection } = elect(shared, lost.resolve);
  const { fence } = election;
  const controllers: KindController[] = [];
  const events = new KubeEventRecorder({ transport, fence, clock, random, instance: input.identity });
  const repository = composePublisher(shared, {
    claimOf: createOwnClaims(shared, stores),
    election,
    confirmLeadership,
    controllers,
    announce: createOperatorEvents({
      events,
      election,
      lease: leaseOf(shared),
      namespaces: config.namespaces,
    }),
  });
  const publisher = repository?.publisher;
  if (publisher !== undefined) metrics?.publish.watch(() => publisher.stats);
  metrics?.events.watch(() => events.stats);
  metrics?.stores.watch(stores.watched, stores.found);
  const holder = holderOf(leaseOf(shared), input.identity);
  const cluster = new KubeCluster({ transport, fence, clock, holder });
  const synthesizer = createSynthesizer();
  const recordKey = new RecordKey({ ...shared, place: recordKeyPlaceOf(shared) });
  const parts = await composeTracing({ cluster, publisher, synthesize: synthesizer }, config);
  const delivery = composeDelivery({
    ...{ shared, stores, shapeOf, election, events, recordKey },
    ...{ cluster: parts.cluster, traceReconcile: parts.traceReconcile },
    repository: repository && parts.publisher && { ...repository, own: parts.publisher },
  });
  for (const kind of kinds) {
    const onGone = (resource: LiveObject): void => {
      synthesizer.forget(resource.metadata.uid);
      publisher?.retire(folderOf(kind.definition, resource));
    };
    controllers.push(
      createKindController({
        ...input,
        ...parts,
        kind,
        stores,
        shapeOf,
        time: shared.time,
        place: placeIdOf(repositoryOf(config)),
        events,
        onGone,
        metrics,
        isLeading: () => election.isLeading,
        workers: config.workers,
        follow: delivery?.follow(kind),
      }),
    );
  }
  if (delivery !== undefined) controllers.push(delivery.createController());
  return new Operator({
    stores,
    controllers,
    election,
    leaseLost: lost.promise,
    prepare: async (signal) => {
      await Promise.all([repository?.prepare(signal), config.releases && recordKey.learn(signal)]);
    },
    reportFences: () => reportFences(shared),
    publisher,
    closeEvents: () => events.close(),
    endpoints: composeEndpoints(shared, { stores, election, sourceZone: delivery?.sourceZone }),
    close: async () => {
      await Promise.all([delivery?.sourceZone.close(), repository?.close()]);
      await closeElection();
      await connection.close();
      await transport.close();
    },
    clock,
    log,
  });
}

/** Stores keep only the fields that charts, statuses and health read. */
function transformOf({ kind }: ObjectKind, { role }: { readonly role: WatchRole }): Transform | undefined {
  if (role === "namespace") return reduceToMetadata;
  return role === "related" && kind === "Pod" ? reducePod : undefined;
}
