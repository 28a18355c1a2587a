import { groupKindOf, keyOf, type LiveObject } from "../../crds/object.ts";
import { idOf, kindIn, type ObjectId, type ObjectKindId } from "../../synth/manifest.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import type { Synthesizer } from "../../synth/synthesizer.ts";
import { kindSteps } from "../desire/chart/kind-steps.ts";
import { LostObjects } from "../engine/lost.ts";
import { OutageNotices } from "../engine/outage-notices.ts";
import { Refusals } from "../engine/refusals.ts";
import { SettledObjects } from "../engine/settled.ts";
import type { Clock, Cluster, EventRecorder, Logger, Publisher, Random, Reconcile } from "../ports.ts";
import { createReconcile } from "../reconcile.ts";
import { BlockedKeys } from "../runtime/blocked-keys.ts";
import { type ControllerSource, type Leadership, runController } from "../runtime/controller.ts";
import type { KindStores, WatchedKind } from "../runtime/kind-stores.ts";
import { WorkQueue } from "../runtime/queue.ts";
import { ReportPace } from "../runtime/report-pace.ts";
import { routeEvents } from "../runtime/routes.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { ObjectCounts } from "../telemetry/object-metrics.ts";

export interface ControllerInput {
  readonly kind: SynthesizableKind;
  readonly stores: KindStores;
  readonly cluster: Cluster;
  readonly publisher: Publisher | undefined;
  /** Id of the place in git that it publishes to. */
  readonly place: string;
  readonly events: EventRecorder;
  readonly synthesize: Synthesizer;
  readonly onGone: (resource: LiveObject) => void;
  /** Makes each reconcile a span. */
  readonly traceReconcile?: (controller: string, reconcile: Reconcile) => Reconcile;
  readonly metrics: Metrics | undefined;
  /** Whether this instance leads now. */
  readonly isLeading: () => boolean;
  readonly workers: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** What reconciles one kind: a queue that events fill, and workers that empty it while we lead. */
export interface KindController {
  /** `plural.group`. */
  readonly name: string;
  readonly queue: WorkQueue;
  /** Something is known of the commits of these, and soon they tell. */
  report(keys: Iterable<string>): void;
  /** Works until the queue is shut down. `signal` aborts what still runs. */
  run(options: { readonly gate: Promise<Leadership>; readonly signal: AbortSignal }): Promise<void>;
}

/** How long a node port or an address may stay taken after its Service was seen to be gone. */
const releaseMs = 1_000;

/** Wires the queue, the routes into it and the reconcile of one kind. Events count from now on. */
export function createController(input: ControllerInput): KindController {
  const { kind, stores, metrics, workers, clock } = input;
  const name = groupKindOf(kind.definition);
  const observer = metrics?.queues.observer(name);
  const queue = new WorkQueue({ clock, ...(observer && { observer }) });
  metrics?.queues.watch(name, queue);
  const log = input.log.child({ controller: name, kind: kind.definition.kind });
  const lag = metrics?.lag.observer(name, clock);
  const objects = metrics?.objects.observer(name);
  const lost = new LostObjects();
  const settled = new SettledObjects();
  const refusals = new Refusals(clock);
  const blocked = new BlockedKeys();
  const releasedBy = (gone: ObjectId | ObjectKindId): Iterable<string> => {
    const waiting = blocked.release(gone);
    for (const key of waiting) refusals.forget(key);
    return waiting;
  };

  routeEvents({
    kind,
    stores,
    queue,
    onGone: (resource) => {
      const key = keyOf(resource);
      refusals.forget(key);
      lost.forget(key);
      lag?.forget(key);
      blocked.forget(key);
      input.onGone(resource);
    },
    onEdit:
      lag &&
      ((resource) => {
        // What another instance brings about is not ours to measure.
        if (input.isLeading()) lag.edited(keyOf(resource), resource.metadata.generation ?? 0);
      }),
    onRelatedGone: (object) => settled.forget(object),
    onChildGone: (child, owners) => {
      settled.forget(child);
      lost.note(child, owners);
      const id = idOf(child);
      // The server frees what an object held only after it has told of its end.
      for (const key of releasedBy(kindIn(id))) queue.add(key, { afterMs: releaseMs });
      return releasedBy(id);
    },
  });
  stores.onReadmit((namespace) => {
    // What is still there was not deleted after all.
    for (const resource of stores.resources(kind.definition).list()) {
      if (resource.metadata.namespace === namespace) queue.add(keyOf(resource));
    }
  });
  const reconcile = createReconcile(
    kindSteps({
      ...input,
      synthesize: timed(input, objects),
      settled,
      refusals,
      lost,
      outages: new OutageNotices(),
      progress: lag,
      count: objects?.count ?? (() => undefined),
      onBlocked: (key, by) => blocked.block(key, by),
      onNamespaceTerminating: (namespace) => stores.refuse(namespace),
    }),
  );
  const reconcileObserver = metrics?.reconciles.observer(name, workers);
  const reports = new ReportPace({ clock, release: (key) => queue.add(key) });
  return {
    name,
    queue,
    report: (keys) => reports.add(keys),
    run: ({ gate, signal }) =>
      runController({
        queue,
        workers,
        reconcile: reports.around(input.traceReconcile?.(name, reconcile) ?? reconcile),
        clock,
        log,
        gate,
        signal,
        sources: stores.watched
          .filter((watched) => concerns(watched, kind))
          .map((watched) => toSource(watched, signal)),
        ...(reconcileObserver && { observer: reconcileObserver }),
      }),
  };
}

/** Synthesis that is measured where there are metrics. */
function timed({ synthesize, clock }: ControllerInput, objects: ObjectCounts | undefined): Synthesizer {
  if (objects === undefined) return synthesize;
  return (kind, resource, observed) => {
    const startMs = clock.now();
    const set = synthesize(kind, resource, observed);
    objects.synthesized(clock.now() - startMs);
    return set;
  };
}

/** Whether a controller decides by what a watch brings. */
function concerns({ role, kind: watched, selector }: WatchedKind, kind: SynthesizableKind): boolean {
  const groupKind = groupKindOf(watched);
  switch (role) {
    case "resource":
      return groupKind === groupKindOf(kind.definition);
    case "child":
      return kind.children.some((child) => groupKindOf(child) === groupKind);
    case "related":
      return kind.related.some(
        (related) => groupKindOf(related.kind) === groupKind && related.selector === selector,
      );
    case "namespace":
      return true;
  }
}

/** A watch as a controller waits for it. */
export function toSource(
  { kind, role, store, reflector }: WatchedKind,
  signal: AbortSignal,
): ControllerSource {
  return {
    name: groupKindOf(kind),
    synced: store.whenSynced(signal),
    whenCurrent: async (asOfMs) => {
      // An old copy of a resource says what nobody wants any more. What is done by one of a child, the server refuses or ignores.
      const current =
        role === "resource" ? reflector.whenCurrent(asOfMs, signal) : reflector.whenWatching(signal);
      await current.catch(() => undefined);
    },
    get isKindMissing() {
      return reflector.state.state === "waiting-for-kind";
    },
    get lastError() {
      const { message } = reflector.state;
      return message === "" ? undefined : new Error(message);
    },
  };
}
