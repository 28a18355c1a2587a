import type { LiveObject, ObjectKind } from "../crds/object.ts";
import { Release } from "../crds/release.ts";
import { folderOf } from "../synth/file-tree.ts";
import { createSynthesizer } from "../synth/synthesizer.ts";
import { KubeEventRecorder } from "./cluster/events.ts";
import { holderOf } from "./cluster/impersonation.ts";
import { KubeCluster } from "./cluster/kube-cluster.ts";
import { reducePod, reduceToMetadata, type Transform } from "./cluster/live-object.ts";
import { WatchConnection } from "./cluster/watch-connection.ts";
import { KubeWatchSource } from "./cluster/watch-source.ts";
import { composeElection, leaseOf } from "./compose/compose-election.ts";
import { composeEndpoints } from "./compose/compose-endpoints.ts";
import { composePublisher } from "./compose/compose-publisher.ts";
import { allowsLocalSources, sourceZoneOf } from "./compose/compose-source-zone.ts";
import { composeTracing } from "./compose/compose-tracing.ts";
import type { KindController } from "./compose/controllers.ts";
import { type ComposeInput, type Ground, layGround } from "./compose/ground.ts";
import { createKindController } from "./compose/kind-controller.ts";
import { Operator } from "./compose/operator.ts";
import { createOperatorEvents } from "./compose/operator-events.ts";
import { reportFences } from "./compose/report-fences.ts";
import { reportOwnWalls, reportZoneWalls } from "./compose/report-walls.ts";
import { trailersOf } from "./desire/chart/added-trailers.ts";
import { PolicyLimits } from "./desire/release/policy-limits.ts";
import type { OperatorRepository } from "./desire/release/publish-target.ts";
import { isPublishedAt } from "./desire/release/published-places.ts";
import { createReleaseController } from "./desire/release/release-controller.ts";
import { releaseKind, releasePolicyKind } from "./desire/release/release-kind.ts";
import { composeKindSources } from "./desire/source/compose-kind-sources.ts";
import { placeIdOf } from "./engine/place-id.ts";
import type { FolderClaim } from "./ports.ts";
import { createFolderClaims } from "./runtime/folder-claims.ts";
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
  const ground = await layGround(input);
  const { metrics, transport, userAgent } = ground;
  reportOwnWalls(ground);
  reportZoneWalls(ground);
  const connection = new WatchConnection(access, {
    clock,
    userAgent,
    onRequest: ground.onRequest,
    onDate: ground.onDate,
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
  const stores = new KindStores({
    kinds: config.releases ? [...kinds, releaseKind, releasePolicyKind] : kinds,
    namespaces: config.namespaces,
    transformOf,
    clock,
    random,
    log,
    sourceOf,
  });
  const lost = Promise.withResolvers<void>();
  const { election, confirmLeadership, closeElection } = elect(ground, lost.resolve);
  const { fence } = election;
  const controllers: KindController[] = [];
  const events = new KubeEventRecorder({ transport, fence, clock, random, instance: input.identity });
  const repository = composePublisher(ground, {
    claimOf: composeClaims(ground, stores),
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
  const publisher = repository?.publisher;
  if (publisher !== undefined) metrics?.publish.watch(() => publisher.stats);
  metrics?.events.watch(() => events.stats);
  metrics?.stores.watch(stores.watched, stores.found);
  const holder = holderOf(leaseOf(ground), input.identity);
  const cluster = new KubeCluster({ transport, fence, clock, holder });
  const synthesizer = createSynthesizer();
  const parts = await composeTracing({ cluster, publisher, synthesize: synthesizer }, config);
  const sourceZone = sourceZoneOf(ground, election);
  const platform =
    sourceZone &&
    new PolicyLimits({
      stores,
      installation: config.releasePolicy,
      allowsLocal: allowsLocalSources(ground),
    });
  const follow =
    sourceZone &&
    platform &&
    composeKindSources({ sources: sourceZone.sources, platform, stores, cluster: parts.cluster, clock });
  if (sourceZone && kinds.some(({ source }) => source !== undefined))
    metrics?.releases.watchSources(() => sourceZone.sources.stats);
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
        time: ground.time,
        place: placeIdOf(repositoryOf(config)),
        events,
        onGone,
        metrics,
        isLeading: () => election.isLeading,
        workers: config.workers,
        follow: kind.source && follow && ((wake) => follow(kind, wake)),
      }),
    );
  }
  if (sourceZone !== undefined && platform !== undefined) {
    controllers.push(
      createReleaseController({
        ground,
        sourceZone,
        platform,
        stores,
        cluster: parts.cluster,
        election,
        events,
        trailersOf: (release) => trailersOf(Release, release, { kinds, stores }),
        repository: repository && parts.publisher && { ...repository, own: parts.publisher },
        ...(parts.traceReconcile && { traceReconcile: parts.traceReconcile }),
      }),
    );
  }
  return new Operator({
    stores,
    controllers,
    election,
    leaseLost: lost.promise,
    prepare: async (signal) => await repository?.prepare(signal),
    reportFences: () => reportFences(ground),
    publisher,
    closeEvents: () => events.close(),
    endpoints: composeEndpoints(ground, { stores, election, sourceZone }),
    close: async () => {
      await Promise.all([sourceZone?.close(), repository?.close()]);
      await closeElection();
      await connection.close();
      await transport.close();
    },
    clock,
    log,
  });
}

/** The resources that the folders in the operator's own location belong to. */
function composeClaims({ config, kinds }: Ground, stores: KindStores): (folder: string) => FolderClaim {
  const repository = repositoryOf(config);
  return createFolderClaims({
    kinds: [...kinds.map(({ definition }) => definition), ...(config.releases ? [Release] : [])],
    stores,
    isHere: (resource) => isPublishedAt(resource, repository, repository),
  });
}

/** The operator's own location in git; without a repository it is never read. */
function repositoryOf(config: Ground["config"]): OperatorRepository {
  return {
    url: config.repository ?? "",
    branch: config.repositoryBranch,
    root: config.repositoryPath,
  };
}

/** Stores keep only the fields that charts, statuses and health read. */
function transformOf({ kind }: ObjectKind, { role }: { readonly role: WatchRole }): Transform | undefined {
  if (role === "namespace") return reduceToMetadata;
  return role === "related" && kind === "Pod" ? reducePod : undefined;
}
