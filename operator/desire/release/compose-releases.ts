import { keyOf, type LiveObject } from "../../../crds/object.ts";
import { Release } from "../../../crds/release.ts";
import { folderOf } from "../../../synth/file-tree.ts";
import { KubeFoundStores } from "../../cluster/found-kinds/found-stores.ts";
import { createKindCatalog } from "../../cluster/found-kinds/kind-catalog.ts";
import { createSecretReader } from "../../cluster/found-kinds/secret-reader.ts";
import type { ControllerParts } from "../../compose/controllers.ts";
import { createHealthChecks } from "../../engine/health/health-checks.ts";
import type { Reconcile } from "../../ports.ts";
import { createReconcile } from "../../reconcile.ts";
import type { WatchedKind } from "../../runtime/kind-stores.ts";
import { composeSources } from "./compose-sources.ts";
import type { Dependents } from "./dependents.ts";
import { NextPlans } from "./next-plans.ts";
import { releaseKeyOf } from "./next-source.ts";
import { PendingReleases } from "./pending-releases.ts";
import { createPreparer } from "./preparer.ts";
import { leavePlace } from "./publish-release.ts";
import { createPlaceClaims } from "./published-places.ts";
import { watchRecorded } from "./recorded-kinds.ts";
import { createRecordedStore } from "./recorded-store.ts";
import type { ReleaseControllerInput } from "./release-controller.ts";
import { ReleaseMemory } from "./release-memory.ts";
import { ReleasePublishers } from "./release-publishers.ts";
import { releaseSteps } from "./release-steps.ts";
import { SealedRecords } from "./sealed-records.ts";
import { lateWritesMs } from "./take-inventory.ts";

export interface ComposeReleasesInput extends ReleaseControllerInput, ControllerParts {
  readonly dependents: Dependents;
  /** When this instance began to lead, on the monotonic clock. */
  readonly ledSinceMs: () => number;
  /** Requeues keys. */
  readonly wake: (keys: Iterable<string>) => void;
}

/** The parts that reconcile Releases. */
export interface ComposedReleases {
  readonly reconcile: Reconcile;
  /** Resolves when no watch of them is broken, or when the signal aborts. */
  readonly whenWatching: (signal: AbortSignal) => Promise<void>;
  /** Starts the watches for the recorded objects of an observed Release. */
  readonly warm: (release: LiveObject) => void;
  /** Removes all state of a deleted Release. */
  readonly forget: (release: LiveObject) => void;
  readonly close: (options: { readonly flushMs: number }) => Promise<void>;
}

/** Creates sources, renderer, watches and publishers. None starts before it is needed. */
export function composeReleases(input: ComposeReleasesInput): ComposedReleases {
  const { shared, stores: kindStores, cluster, election, events, dependents, platform } = input;
  const { queue, attempts, log, lag } = input;
  // A result for the next commit of a Release requeues that Release.
  const wake = (keys: Iterable<string>): void => input.wake([...keys].map(releaseKeyOf));
  const { config, clock, random, metrics, transport } = shared;
  const records = new SealedRecords(input.recordKey);
  const releases = createRecordedStore(kindStores.resources(Release), records);
  const memory = new ReleaseMemory();
  const catalog = createKindCatalog({
    transport,
    clock,
    random,
    log,
    wake,
    onDefinitionChanged: (kind) => attempts.definitionChanged(kind),
  });
  const stores = new KubeFoundStores({
    queue,
    resources: releases,
    catalog,
    stores: kindStores,
    namespaces: config.namespaces,
    clock,
    random,
    onObjectGone: (object, owners) => attempts.objectGone(object, owners),
  });
  const { sources, renderer, sandbox, closeSources } = composeSources(shared, {
    sourceZone: input.sourceZone,
    log,
    wake: (keys) => {
      for (const key of keys) noteNews(key);
      wake(keys);
    },
  });
  metrics?.sources.watchFailing(releases);
  const prepare = createPreparer();
  const pending = new PendingReleases();
  const publishers = composePublishers(input);
  const noteNews = (key: string): void => {
    // Do not measure changes by another instance, or from before our start.
    if (!election.isLeading || memory.find(key)?.applied === undefined) return;
    lag?.edited(key, releases.get(key)?.metadata.generation ?? 0);
  };
  const forget = (release: LiveObject): void => {
    const key = keyOf(release);
    const target = memory.find(key)?.target;
    // Remove the folder even if a user has removed the finalizer.
    if (target !== undefined && publishers !== undefined && election.isLeading)
      leavePlace(platform.limitsOf(release), { folder: folderOf(Release, release), target }, publishers);
    forgetKey(key);
    prepare.forget(release.metadata.uid);
  };
  const forgetKey = (key: string): void => {
    for (const one of [nextPlans, memory, sources, renderer, catalog, stores, pending, attempts])
      one.forget(key);
  };
  const secrets = createSecretReader({
    cluster,
    clock,
    remedy: ", or the Release needs a serviceAccountName that may",
  });
  const namespaceOf = (name: string): LiveObject | undefined =>
    kindStores.watched.find(({ role }) => role === "namespace")?.store.get(name);
  const { settled } = attempts;
  const { shapeOf } = input.engine;
  const nextPlans = new NextPlans({
    ...{ sources, renderer, secrets, catalog, stores, namespaceOf, settled, shapeOf, clock, log, wake },
  });
  const reconcile = createReconcile(
    releaseSteps({
      ...input.engine,
      releases,
      records,
      dependents,
      cluster,
      stores,
      catalog,
      sources,
      renderer,
      warmUp: () => sandbox.warmUp(),
      secrets,
      nextPlans,
      pending,
      prepare,
      checks: createHealthChecks(),
      publishers,
      memory,
      platform,
      events,
      namespaceOf,
      predecessorMs: () => Math.max(0, input.ledSinceMs() + lateWritesMs - clock.now()),
      requiresServiceAccount: config.releaseRequireServiceAccount,
      forget: forgetKey,
      wake,
      clock,
      random,
    }),
    { clock, memory },
  );
  return {
    reconcile,
    whenWatching: async (signal) => {
      const isBroken = ({ reflector }: WatchedKind) =>
        /^(starting|initializing|failing)$/.test(reflector.state.state);
      const broken = kindStores.found.filter(isBroken);
      await Promise.allSettled(broken.map(({ reflector }) => reflector.whenWatching(signal)));
    },
    warm: (release) => {
      sandbox.start();
      void watchRecorded({ key: keyOf(release), resource: records.open(release) }, { catalog, stores });
    },
    forget,
    close: async (options) => {
      nextPlans.close();
      catalog.close();
      await Promise.all([publishers?.close(options), closeSources()]);
    },
  };
}

function composePublishers({
  shared: { config },
  stores,
  repository,
  trailersOf,
}: ComposeReleasesInput): ReleasePublishers | undefined {
  if (repository === undefined || config.repository === undefined) return undefined;
  const place = { url: config.repository, branch: config.repositoryBranch, root: config.repositoryPath };
  return new ReleasePublishers({
    repository: place,
    publisher: repository.own,
    open: repository.open,
    claimOf: createPlaceClaims(stores, place),
    trailersOf,
  });
}
