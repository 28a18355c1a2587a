import type { LiveObject } from "../crds/object.ts";
import { type ExplainedRun, explainRun } from "./engine/explain-run.ts";
import { LongHolds } from "./engine/long-holds.ts";
import type { Report } from "./engine/report.ts";
import type { RunMemory } from "./engine/run-memory.ts";
import { NamespaceTerminatingError } from "./errors.ts";
import type { Clock, PublishState, Reconcile, ReconcileOptions, ReconcileResult } from "./ports.ts";

/** The resource of a run, and the memory of its earlier runs. Sorts of resources without a memory have none. */
export interface LoadedResource<Memory> {
  readonly resource: LiveObject;
  readonly memory?: Memory;
}

/** Result of a run. `error` is the failure that the outcome describes. */
export type Ended<Memory = never> = ExplainedRun & {
  /** The new memory. Undefined: unchanged. */
  readonly memory?: Memory;
};

/** The report of a run. */
export interface Judged<Memory = never> {
  readonly report: Report;
  /** State of the publication; undefined: nothing was offered. */
  readonly publish: PublishState | undefined;
  /** The new memory, also once the status is written. Undefined: unchanged. */
  readonly memory?: Memory;
  readonly memoryOnceWritten?: Memory;
}

/** The steps of the loop for one sort of resources: those of a kind, or Releases. */
export interface ReconcileSteps<
  Loaded extends LoadedResource<Memory>,
  End extends Ended<Memory>,
  Memory = never,
> {
  /**
   * Reads the resource and its objects from the local copies. Undefined: it was deleted, or there is nothing to do.
   *
   * @param remembered The memory of a resource of that name and this uid.
   */
  load(key: string, remembered: (uid: string) => Memory | undefined): Loaded | undefined;
  /**
   * Cleans up after a resource that does not exist. Only for sorts of resources that may leave objects which nothing
   * else deletes.
   */
  abandon?(key: string): Promise<void>;
  /** Whether nothing may be created for it any more: it or its namespace is being deleted. */
  isLeaving(loaded: Loaded): boolean;
  /** Deletes the objects that it owns and garbage collection does not delete. Undefined: there is nothing to report. */
  finalize(loaded: Loaded): Promise<End | undefined>;
  /**
   * Reads the source of the resource, and updates and writes its record before anything depends on it. Undefined: the
   * resource was deleted. Only for sorts of resources with records or sources.
   */
  record?(loaded: Loaded): Promise<Loaded | undefined>;
  /** Computes the desired set, and plans, applies, prunes and adds. Undefined: there is nothing to report yet. */
  converge(loaded: Loaded): Promise<End | undefined>;
  /** Assesses and publishes the current objects, and composes the status. Undefined: the resource was deleted. */
  judge(loaded: Loaded, ended: End): Judged<Memory> | undefined;
  /**
   * Writes the status, and records events.
   *
   * @param onWritten Called when the status is written.
   * @throws The failure that the status describes, so that the queue retries it.
   */
  report(run: Report, onWritten: () => void): Promise<ReconcileResult>;
  /** Records events about the changes of a run that is not reported: a retry does not repeat them. */
  announce(loaded: Loaded, ended: End): void;
  /** Called when the memory has changed, for example to requeue the resources that wait for that. */
  onRemembered?(key: string, before: Memory | undefined, now: Memory): void;
  /** A write was rejected because the namespace is being deleted. */
  onNamespaceTerminating(namespace: string): void;
}

export interface CreateReconcileOptions<Memory extends { readonly uid: string }> {
  readonly clock: Pick<Clock, "now" | "wallClock">;
  /** Undefined: runs of these resources have no memory. */
  readonly memory?: RunMemory<Memory>;
}

/**
 * The loop: one run for one resource, from its key to its status.
 *
 * It never waits for git, a render, health or a deletion: each of them requeues the key when it is available. A step
 * receives the memory of earlier steps and runs, and returns the new memory, which the loop keeps.
 *
 * @param begin Binds the steps to one run: its signal ends every request, its log contains the key.
 */
export function createReconcile<
  Loaded extends LoadedResource<Memory>,
  End extends Ended<Memory>,
  Memory extends { readonly uid: string } = never,
>(
  begin: (run: ReconcileOptions) => ReconcileSteps<Loaded, End, Memory>,
  { clock, memory }: CreateReconcileOptions<Memory>,
): Reconcile {
  const holds = new LongHolds(clock);
  return async (key, run) => {
    const steps = begin(run);
    const found = steps.load(key, (uid) => memory?.of(key, uid));
    let known = found?.memory;
    if (known !== undefined) memory?.begin(key, known);
    const remember = (next: Memory | undefined): void => {
      if (next === undefined || next === known) return;
      const before = known;
      known = next;
      if (memory?.keep(key, next)) steps.onRemembered?.(key, before, next);
    };
    const isLeaving = found !== undefined && steps.isLeaving(found);
    const loaded =
      found === undefined || isLeaving || steps.record === undefined ? found : await steps.record(found);
    if (found === undefined) await steps.abandon?.(key);
    if (loaded === undefined) {
      holds.end(key);
      run.onExplain?.(() => nothingToDo);
      return {};
    }
    const ended = isLeaving ? await steps.finalize(loaded) : await steps.converge(loaded);
    remember(ended?.memory);
    // An aborted run publishes, records and writes nothing.
    run.signal.throwIfAborted();
    if (ended === undefined) {
      run.onExplain?.(() => leavingAlone);
      return {};
    }
    let publish: PublishState | undefined;
    run.onExplain?.(() => explainRun({ ...ended, publish }));
    const report = async (end: End): Promise<ReconcileResult> => {
      const judged = steps.judge(known === loaded.memory ? loaded : { ...loaded, memory: known }, end);
      if (judged === undefined) return {};
      publish = judged.publish;
      // Before the status is written: a failed write is repeated, and the work before it is not.
      remember(judged.memory);
      return await steps.report(judged.report, () => remember(judged.memoryOnceWritten));
    };
    const { error } = ended;
    const { namespace } = loaded.resource.metadata;
    // A cluster-scoped resource is reported, as its objects may be in other namespaces, too.
    if (error instanceof NamespaceTerminatingError && error.namespace === namespace) {
      // Do not report on a terminating namespace.
      steps.onNamespaceTerminating(error.namespace);
      return {};
    }
    const { reported, againAfterMs } = holds.judge(key, ended);
    if (reported !== undefined) return sooner(await report(reported), againAfterMs);
    // The local copies are being filled, and the resource is reconciled again afterwards: until then only the status is
    // known.
    const isNew = loaded.resource["status"] === undefined && ended.outcome.state === "retry";
    if (error === undefined && isNew) return sooner(await report(ended), againAfterMs);
    steps.announce(loaded, ended);
    if (error !== undefined) throw error;
    return sooner({}, againAfterMs);
  };
}

function sooner({ requeueAfterMs }: ReconcileResult, againAfterMs: number | undefined): ReconcileResult {
  if (againAfterMs === undefined) return requeueAfterMs === undefined ? {} : { requeueAfterMs };
  return { requeueAfterMs: Math.min(requeueAfterMs ?? againAfterMs, againAfterMs) };
}

const leavingAlone = { outcome: "deleting", why: "it or its namespace is being deleted" };
const nothingToDo = { outcome: "skipped", why: "it does not exist, or its namespace is being deleted" };
