import type { LiveObject } from "../../../crds/object.ts";
import { announceChanges } from "../../engine/announce.ts";
import type { OwnedObject } from "../../engine/desired-set.ts";
import { describeObject, listNames } from "../../engine/outcome.ts";
import { RunClock } from "../../engine/run-clock.ts";
import type { ReconcileOptions } from "../../ports.ts";
import type { ReconcileSteps } from "../../reconcile.ts";
import { type ConvergedKind, type ConvergeKindOptions, convergeKind } from "./converge-kind.ts";
import { finalize, isLeaving } from "./finalize.ts";
import { type Loaded, load } from "./load.ts";
import { type ReportKindOptions, reportKind } from "./report-kind.ts";
import { retireOrConverge } from "./retire.ts";
import { writeRecord } from "./write-record.ts";

export interface KindParts
  extends Omit<ConvergeKindOptions, "kindClock">,
    Omit<ReportKindOptions, "cluster" | "kindClock" | "log"> {
  readonly onNamespaceTerminating: (namespace: string) => void;
}

/** The steps of the loop for the resources of one kind. */
export function kindSteps(
  shared: KindParts,
): (run: ReconcileOptions) => ReconcileSteps<Loaded, ConvergedKind> {
  return ({ signal, log }) => {
    const runClock = shared.kind.hasContext ? new RunClock(shared.time.nowMs()) : undefined;
    const parts = { ...shared, cluster: shared.cluster.until(signal), log, kindClock: runClock };
    return {
      load: (key) => {
        const loaded = load(key, parts.kind, parts.stores);
        // A refusal that came back after the resource was gone would be kept forever.
        if (loaded === undefined) parts.refusals.forget(key);
        return loaded;
      },
      isLeaving: ({ resource }) => isLeaving(resource, parts.stores),
      finalize: async (loaded) => {
        const onKept = (live: LiveObject, { message }: Error): void =>
          announceChanges([{ done: "FieldsKept", live, why: message }], loaded, parts);
        return describeHeld(loaded, await finalize(loaded, { ...parts, onKept }));
      },
      ...(parts.kind.record !== undefined &&
        runClock && { record: (loaded: Loaded) => writeRecord(loaded, { ...parts, clock: runClock }) }),
      converge: (loaded) =>
        parts.kind.retire === undefined || runClock === undefined
          ? convergeKind(loaded, parts)
          : retireOrConverge(loaded, { ...parts, kindClock: runClock }),
      report: (loaded, converged) => reportKind(loaded, converged, parts),
      onNamespaceTerminating: parts.onNamespaceTerminating,
    };
  };
}

/** Undefined: nothing holds a resource that is being deleted. */
function describeHeld({ resource }: Loaded, left: readonly OwnedObject[]): ConvergedKind | undefined {
  if (left.length === 0) return undefined;
  const names = left.map(({ live }) => describeObject(live)).sort();
  const message = `Waiting for ${listNames(names)} to be deleted; finalizers block it`;
  return {
    outcome: { state: "waiting", reason: "Deleting", message, isWatched: true, isQuiet: true },
    ...{ target: undefined, plan: undefined, pruned: undefined, changes: [], steps: [], error: undefined },
    ...{ desired: undefined, expired: undefined, generation: resource.metadata.generation },
  };
}
