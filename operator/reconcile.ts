import type { LiveObject } from "../crds/object.ts";
import { type ExplainedRun, explainRun } from "./engine/explain-run.ts";
import { LongHolds } from "./engine/long-holds.ts";
import { NamespaceTerminatingError } from "./errors.ts";
import type { Clock, PublishState, Reconcile, ReconcileOptions, ReconcileResult } from "./ports.ts";

/** How a run ended. `error` is the failure that the outcome describes. */
export type Ended = ExplainedRun;

/** When to look again, and where the publication stands; undefined: nothing was offered. */
export type Reported = ReconcileResult & { readonly publish?: PublishState | undefined };

/** The steps of the loop for one sort of resources: those of a kind, or Releases. */
export interface ReconcileSteps<Loaded extends { readonly resource: LiveObject }, End extends Ended> {
  /** Reads the resource and its objects from the local copies. Undefined: it is gone, or there is nothing to do. */
  load(key: string): Loaded | undefined;
  /** Whether nothing may be created for it any more: it or its namespace is being deleted. */
  isLeaving(loaded: Loaded): boolean;
  /** Deletes what it owns, as far as garbage collection does not. Undefined: there is nothing to report. */
  finalize(loaded: Loaded): Promise<End | undefined>;
  /**
   * Reads the source of the resource, and brings up to date, and writes, what it must remember, before anything depends on it.
   * Undefined: the resource is gone. Only where there are records or sources.
   */
  record?(loaded: Loaded): Promise<Loaded | undefined>;
  /** Decides what it wants, and plans, applies, prunes and adds. Undefined: there is nothing to report yet. */
  converge(loaded: Loaded): Promise<End | undefined>;
  /**
   * Assesses and publishes what is there now, and writes the status.
   *
   * @throws The failure that the status describes, so that the queue retries it.
   */
  report(loaded: Loaded, ended: End): Promise<Reported>;
  /** A write was refused because the namespace is being deleted. */
  onNamespaceTerminating(namespace: string): void;
}

/**
 * The loop: one run for one resource, from its key to its status.
 *
 * It never waits for git, a render, health or a deletion: each of them requeues the key when it is there.
 *
 * @param begin Binds the steps to one run: its signal ends every request, its log carries the key.
 */
export function createReconcile<Loaded extends { readonly resource: LiveObject }, End extends Ended>(
  begin: (run: ReconcileOptions) => ReconcileSteps<Loaded, End>,
  { clock }: { readonly clock: Pick<Clock, "now" | "wallClock"> },
): Reconcile {
  const holds = new LongHolds(clock);
  return async (key, run) => {
    const steps = begin(run);
    const found = steps.load(key);
    const isLeaving = found !== undefined && steps.isLeaving(found);
    const loaded =
      found === undefined || isLeaving || steps.record === undefined ? found : await steps.record(found);
    if (loaded === undefined) {
      holds.end(key);
      run.onExplain?.(() => nothingToDo);
      return {};
    }
    const ended = isLeaving ? await steps.finalize(loaded) : await steps.converge(loaded);
    // A run that was told to end publishes, records and writes nothing.
    run.signal.throwIfAborted();
    if (ended === undefined) {
      run.onExplain?.(() => leavingAlone);
      return {};
    }
    let publish: PublishState | undefined;
    run.onExplain?.(() => explainRun({ ...ended, publish }));
    const report = async (end: End): Promise<ReconcileResult> => {
      const reported = await steps.report(loaded, end);
      publish = reported.publish;
      return reported;
    };
    const { error } = ended;
    const { namespace } = loaded.resource.metadata;
    if (
      error instanceof NamespaceTerminatingError &&
      (namespace === undefined || error.namespace === namespace)
    ) {
      // Do not report on a terminating namespace.
      steps.onNamespaceTerminating(error.namespace);
      return {};
    }
    const { told, againAfterMs } = holds.judge(key, ended);
    if (told !== undefined) return sooner(await report(told), againAfterMs);
    if (error !== undefined) throw error;
    // The local copies are being filled, and then it is reconciled again: until then the status is all that is known.
    const isNew = loaded.resource["status"] === undefined && ended.outcome.state === "retry";
    return sooner(isNew ? await report(ended) : {}, againAfterMs);
  };
}

function sooner({ requeueAfterMs }: ReconcileResult, againAfterMs: number | undefined): ReconcileResult {
  if (againAfterMs === undefined) return requeueAfterMs === undefined ? {} : { requeueAfterMs };
  return { requeueAfterMs: Math.min(requeueAfterMs ?? againAfterMs, againAfterMs) };
}

const leavingAlone = { outcome: "deleting", why: "it or its namespace is being deleted" };
const nothingToDo = { outcome: "skipped", why: "it does not exist, or its namespace is being deleted" };
