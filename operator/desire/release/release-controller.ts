import { groupKindOf, keyOf, type LiveObject, type ObjectKind } from "../../../crds/object.ts";
import { Release } from "../../../crds/release.ts";
import { ReleasePolicy } from "../../../crds/release-policy.ts";
import type { ActingCluster } from "../../cluster/found-kinds/ports.ts";
import type { ComposedRepository } from "../../compose/compose-publisher.ts";
import { allowsLocalSources } from "../../compose/compose-source-zone.ts";
import { type KindController, toSource } from "../../compose/controllers.ts";
import type { Ground } from "../../compose/ground.ts";
import type { SourceZone } from "../../git/source/compose-source-zone.ts";
import type { Clock, EventRecorder, Publisher, Reconcile } from "../../ports.ts";
import { runController } from "../../runtime/controller.ts";
import type { Election } from "../../runtime/election.ts";
import type { KindStores, KindStoresInput, WatchedKind, WatchRole } from "../../runtime/kind-stores.ts";
import { WorkQueue } from "../../runtime/queue.ts";
import { ReportPace } from "../../runtime/report-pace.ts";
import { routeEvents } from "../../runtime/routes.ts";
import { withTimeout } from "../../runtime/with-timeout.ts";
import type { ComposedReleases } from "./compose-releases.ts";
import { Dependents } from "./dependents.ts";
import { PolicyLimits } from "./policy-limits.ts";
import { releaseKind } from "./release-kind.ts";

export interface ReleaseControllerInput extends Pick<KindStoresInput, "sourceOf" | "transformOf"> {
  readonly ground: Ground;
  readonly stores: KindStores;
  readonly election: Election;
  readonly events: EventRecorder;
  readonly sourceZone: SourceZone;
  /** Undefined: nothing is published. */
  readonly repository: (ComposedRepository & { readonly own: Publisher }) | undefined;
  /** Watches that were begun, for metrics. */
  readonly onWatch: (watched: readonly WatchedKind[]) => void;
  readonly traceReconcile?: (controller: string, reconcile: Reconcile) => Reconcile;
  /** Makes each request a span. */
  readonly traceCluster?: (cluster: ActingCluster) => ActingCluster;
}

/** What reconciles Releases, as far as the operator's life is concerned. */
export interface ReleaseController extends KindController {
  /** Keeps the local copies of what Releases own, until the signal aborts. */
  watch(signal: AbortSignal): Promise<void>;
  /** Commits what is pending, for at most `flushMs`, and ends all processes. */
  close(options: { readonly flushMs: number }): Promise<void>;
}

/**
 * Wires queue and reconcile of Releases. All that costs memory (git caches, renderers, watches of any kind) is loaded
 * when the first Release is seen.
 */
export function createReleaseController(input: ReleaseControllerInput): ReleaseController {
  const { ground, stores, election } = input;
  const { metrics, clock, config } = ground;
  const name = groupKindOf(Release);
  const observer = metrics?.queues.observer(name);
  const queue = new WorkQueue({ clock, ...(observer && { observer }) });
  metrics?.queues.watch(name, queue);
  const log = ground.log.child({ controller: name, kind: Release.kind });
  const lag = metrics?.lag.observer(name, clock);
  const dependents = new Dependents();
  const platform = new PolicyLimits({
    stores,
    installation: config.releasePolicy,
    allowsLocal: allowsLocalSources(ground),
    wake: (keys) => {
      for (const key of keys) queue.add(key);
    },
  });
  let ledSinceMs = clock.now();
  const first = Promise.withResolvers<void>();
  let composed: ComposedReleases | undefined;
  let composing: Promise<ComposedReleases> | undefined;
  const compose = (): Promise<ComposedReleases> => {
    composing ??= import("./compose-releases.ts").then(({ composeReleases }) => {
      composed = composeReleases({
        ...input,
        queue,
        dependents,
        ledSinceMs: () => ledSinceMs,
        log,
        lag,
        platform,
      });
      return composed;
    });
    return composing;
  };

  stores.subscribe("resource", ({ kind }) => ({
    added: (release) => void (kind === Release && learn(release)),
    updated: (_, release) => void (kind === Release && learn(release)),
    deleted: () => undefined,
  }));
  routeEvents({
    kind: releaseKind,
    stores,
    queue,
    onGone: (release) => {
      const key = keyOf(release);
      for (const dependent of dependents.of(key)) queue.add(dependent);
      dependents.forget(key);
      lag?.forget(key);
      composed?.forget(release);
    },
    onEdit:
      lag &&
      ((release) => election.isLeading && lag.edited(keyOf(release), release.metadata.generation ?? 0)),
    onChildGone: () => [],
  });

  function learn(release: LiveObject): void {
    const key = keyOf(release);
    // Perhaps a cycle is open now.
    const concerned = dependents.learn(release) ? dependents.behind(key) : dependents.of(key);
    for (const dependent of concerned) queue.add(dependent);
    composed?.warm(release);
    first.resolve();
  }

  const reconcile: Reconcile = async (key, options) => (await compose()).reconcile(key, options);
  const reconcileObserver = metrics?.reconciles.observer(name, config.workers);
  const reports = new ReportPace({ clock, release: (key) => queue.add(key) });
  return {
    name,
    queue,
    report: (keys) => reports.add(keys),
    run: ({ gate, signal }) =>
      runController({
        queue,
        workers: config.workers,
        reconcile: reports.around(input.traceReconcile?.(name, reconcile) ?? reconcile),
        clock,
        log,
        gate: gate.then(async (leadership) => {
          ledSinceMs = leadership.sinceMs;
          await untilWatching(composed, { clock, signal });
          return leadership;
        }),
        signal,
        sources: stores.watched
          .filter(({ role, kind }) => role === "namespace" || decidesReleases(role, kind))
          .map((watched) => toSource(watched, signal)),
        ...(reconcileObserver && { observer: reconcileObserver }),
      }),
    watch: async (signal) => {
      const aborted = new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      await Promise.race([first.promise, aborted]);
      if (signal.aborted) return;
      // What cannot be loaded fails each reconcile, and is told there.
      const parts = await compose().catch(() => undefined);
      if (parts === undefined) return;
      // What is recorded on them is watched before anybody decides by it, on a standby as well.
      for (const release of stores.resources(Release).list()) parts.warm(release);
      await parts.watch(signal);
    },
    close: async (options) => {
      await (await composing?.catch(() => undefined))?.close(options);
    },
  };
}

/** No Release is reconciled before all policies are known. */
function decidesReleases(role: WatchRole, kind: ObjectKind): boolean {
  return role === "resource" && (kind === Release || kind === ReleasePolicy);
}

/** Then decisions by what was last known are better than none. */
const longestWaitMs = 30_000;

/** A standby whose watches broke knows less than the leader before it did: who begins to lead waits until they are mended. */
async function untilWatching(
  composed: ComposedReleases | undefined,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  if (composed === undefined) return;
  const wait = withTimeout((late) => composed.whenWatching(late), {
    clock,
    timeoutMs: longestWaitMs,
    signal,
  });
  await wait.catch(() => undefined);
}
