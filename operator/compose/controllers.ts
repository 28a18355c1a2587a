import type { DeclaredKind } from "../../crds/binding.ts";
import { groupKindOf, keyOf, type LiveObject } from "../../crds/object.ts";
import type { ConvergeOptions } from "../engine/converge.ts";
import type { ShapeOf } from "../engine/field-shape.ts";
import { OutageNotices } from "../engine/outage-notices.ts";
import type { Progress, ReportOptions } from "../engine/report.ts";
import type { Clock, Logger, Reconcile } from "../ports.ts";
import { Attempts } from "../runtime/attempts.ts";
import { type ControllerSource, type Leadership, runController } from "../runtime/controller.ts";
import type { KindStores, WatchedKind } from "../runtime/kind-stores.ts";
import { WorkQueue } from "../runtime/queue.ts";
import { ReportPace } from "../runtime/report-pace.ts";
import { routeEvents } from "../runtime/routes.ts";
import type { LagCounts } from "../telemetry/lag-metrics.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { ObjectCounts } from "../telemetry/object-metrics.ts";

/** The parts that all controllers need. */
export interface ControllerInput {
  readonly stores: KindStores;
  readonly shapeOf: ShapeOf;
  /** Creates a span for each reconcile. */
  readonly traceReconcile?: (controller: string, reconcile: Reconcile) => Reconcile;
  readonly metrics: Metrics | undefined;
  /** Whether this instance leads now. */
  readonly isLeading: () => boolean;
  readonly workers: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Input of the steps of every sort of resources: the engine's memory of attempts, metrics, and the function that
 * requeues keys.
 */
export interface EngineParts
  extends Pick<ConvergeOptions, "settled" | "shapeOf" | "refusals" | "lost" | "count">,
    Pick<ReportOptions, "outages" | "onBlocked" | "wakeLater"> {
  readonly progress: Progress | undefined;
  readonly onNamespaceTerminating: (namespace: string) => void;
}

/** The parts of one controller that its reconcile uses. */
export interface ControllerParts {
  readonly engine: EngineParts;
  readonly queue: WorkQueue;
  readonly attempts: Attempts;
  readonly log: Logger;
  readonly lag: LagCounts | undefined;
  readonly counts: ObjectCounts | undefined;
}

/** The parts that differ between controllers. */
export interface ReconciledKind {
  readonly reconcile: Reconcile;
  /** Called when a resource was deleted. */
  readonly onGone: (resource: LiveObject) => void;
  /**
   * Watches that must have listed their objects before the first reconcile. Default: those of the kind, its children and
   * related objects.
   */
  readonly decidesBy?: (watched: WatchedKind) => boolean;
  /** Called when this instance becomes the leader; the workers start when it resolves. */
  readonly onLead?: (leadership: Leadership, signal: AbortSignal) => Promise<void>;
  /** Starts the work that standbys also do, until the signal aborts. */
  readonly watch?: (signal: AbortSignal) => Promise<void>;
  /** Commits what is pending, for at most `flushMs`, and ends all processes. */
  readonly close?: (options: { readonly flushMs: number }) => Promise<void>;
}

/** The controller of one kind: a queue that events fill, and workers that process it on the leader. */
export interface KindController {
  /** `plural.group`. */
  readonly name: string;
  readonly queue: WorkQueue;
  /** Reports the commits of these keys soon. */
  report(keys: Iterable<string>): void;
  /** Works until the queue is shut down. `signal` aborts running reconciles. */
  run(options: { readonly gate: Promise<Leadership>; readonly signal: AbortSignal }): Promise<void>;
  /** Starts the work that standbys also do, until the signal aborts. */
  watch(signal: AbortSignal): Promise<void>;
  /** Commits pending changes, for at most `flushMs`, and ends all processes. */
  close(options: { readonly flushMs: number }): Promise<void>;
}

/**
 * Connects the queue, the event routes and the reconcile of one kind. Events count from now on.
 *
 * @param begin Called once, before the first event.
 */
export function createController(
  kind: DeclaredKind,
  input: ControllerInput,
  begin: (parts: ControllerParts) => ReconciledKind,
): KindController {
  const { stores, shapeOf, metrics, workers, clock } = input;
  const name = groupKindOf(kind.definition);
  const observer = metrics?.queues.observer(name);
  const queue = new WorkQueue({ clock, ...(observer && { observer }) });
  metrics?.queues.watch(name, queue);
  const log = input.log.child({ controller: name, kind: kind.definition.kind });
  const lag = metrics?.lag.observer(name, clock);
  const counts = metrics?.objects.observer(name);
  const attempts = new Attempts({ clock, queue });
  const { settled, refusals, lost } = attempts;
  const engine: EngineParts = {
    ...{ settled, shapeOf, refusals, lost },
    outages: new OutageNotices(),
    progress: lag,
    count: counts?.count ?? (() => undefined),
    onBlocked: (key, by) => attempts.block(key, by),
    wakeLater: (key, afterMs) => queue.add(key, { afterMs }),
    onNamespaceTerminating: (namespace) => stores.refuse(namespace),
  };
  const reconciled = begin({ engine, queue, attempts, log, lag, counts });
  const { reconcile, decidesBy = (watched) => concerns(watched, kind), onLead } = reconciled;

  routeEvents({
    kind,
    stores,
    queue,
    onGone: (resource) => {
      const key = keyOf(resource);
      attempts.forget(key);
      lag?.forget(key);
      reconciled.onGone(resource);
    },
    onEdit:
      lag &&
      ((resource) => {
        // Only the leader measures, because only it reconciles the edit.
        if (input.isLeading()) lag.edited(keyOf(resource), resource.metadata.generation ?? 0);
      }),
    onRelatedGone: (object) => attempts.settled.forget(object),
    onChildGone: (child, owners) => attempts.objectGone(child, owners),
  });
  stores.onReadmit((namespace) => {
    // A resource that still exists was not deleted after all.
    for (const resource of stores.resources(kind.definition).list()) {
      if (resource.metadata.namespace === namespace) queue.add(keyOf(resource));
    }
  });
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
        gate: onLead === undefined ? gate : gate.then((term) => onLead(term, signal).then(() => term)),
        signal,
        sources: stores.watched.filter(decidesBy).map((watched) => toSource(watched, signal)),
        ...(reconcileObserver && { observer: reconcileObserver }),
      }),
    watch: async (signal) => await reconciled.watch?.(signal),
    close: async (options) => await reconciled.close?.(options),
  };
}

/** Whether a controller's decisions depend on a watch. */
export function concerns({ role, kind: watched, selector }: WatchedKind, kind: DeclaredKind): boolean {
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

/** A watch in the form that a controller waits for. */
export function toSource(
  { kind, role, store, reflector }: WatchedKind,
  signal: AbortSignal,
): ControllerSource {
  return {
    name: groupKindOf(kind),
    synced: store.whenSynced(signal),
    whenCurrent: async (asOfMs) => {
      // A stale copy of a resource contains an outdated spec. Writes based on a stale copy of a child are rejected or
      // ignored by the server.
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
