import type { CustomResource, LiveObject, ObjectKind } from "../../../crds/object.ts";
import { awaitsSource } from "../../../synth/source.ts";
import { announceChanges, announceStatus } from "../../engine/announce.ts";
import type { OwnedObject } from "../../engine/desired-set.ts";
import { describeObject, listNames } from "../../engine/outcome.ts";
import type { StepReason } from "../../engine/reasons.ts";
import { releaseRuns } from "../../engine/release-runs.ts";
import { report } from "../../engine/report.ts";
import { RunClock } from "../../engine/run-clock.ts";
import type { ReconcileOptions } from "../../ports.ts";
import type { ReconcileSteps } from "../../reconcile.ts";
import { type ConvergedKind, type ConvergeKindOptions, convergeKind, unchanged } from "./converge-kind.ts";
import { expectedStatus } from "./expected-status.ts";
import { failedRun } from "./failed-run.ts";
import { finalize, isLeaving } from "./finalize.ts";
import {
  type FollowSourceOptions,
  followSource,
  followSpans,
  leaveSource,
  remoteOf,
} from "./follow-source.ts";
import { type Loaded, load } from "./load.ts";
import { finalRunsOf, protectedIn, protectsRuns } from "./protected-runs.ts";
import { releaseOrphans } from "./release-orphans.ts";
import { judgeKind, type ReportKindOptions } from "./report-kind.ts";
import { retireOrConverge } from "./retire.ts";
import type { KindMemory } from "./time-health.ts";
import { type WriteRecordOptions, writeRecord } from "./write-record.ts";

export interface KindParts
  extends Omit<ConvergeKindOptions, "kindClock">,
    Omit<ReportKindOptions, "cluster" | "kindClock" | "log">,
    Pick<FollowSourceOptions, "sources"> {
  readonly onNamespaceTerminating: (namespace: string) => void;
}

/** The steps of the reconcile loop for the resources of one kind. */
export function kindSteps(
  shared: KindParts,
): (run: ReconcileOptions) => ReconcileSteps<Loaded, ConvergedKind, KindMemory> {
  return ({ signal, log }) => {
    const runClock = shared.kind.hasContext ? new RunClock(shared.time.nowMs()) : undefined;
    const parts = {
      ...shared,
      ...{ cluster: shared.cluster.until(signal), log, kindClock: runClock },
      remoteOf: (resource: CustomResource) => remoteOf(resource, shared.kind),
    };
    // Use the operator's own permissions, because the finalizer belongs to the resource and not to its objects.
    const runs = { cluster: parts.cluster, storeOf: (child: ObjectKind) => parts.stores.children(child) };
    const finalizeResource = async (loaded: Loaded): Promise<ConvergedKind | undefined> => {
      leaveSource(loaded, parts);
      const onKept = (live: LiveObject, { message }: Error): void =>
        announceChanges([{ done: "FieldsKept", live, why: message }], loaded, parts);
      try {
        // A resource that is being deleted does not record outcomes, so release its runs.
        await releaseRuns(protectedIn(loaded), runs);
        return describeHeld(loaded, await finalize(loaded, { ...parts, onKept }));
      } catch (error) {
        return failedRun(loaded, error);
      }
    };
    return {
      load: (key, remembered) => {
        const loaded = load(key, parts.kind, parts.stores);
        // Otherwise a rejection or a deleted object that arrives after the deletion of the resource would stay in memory, and a
        // source that was requested at the same time would be followed forever.
        if (loaded === undefined) {
          parts.refusals.forget(key);
          parts.lost.forget(key);
          parts.sources?.forget(key);
        }
        if (loaded === undefined || parts.kind.policy.timeout === undefined) return loaded;
        const { uid } = loaded.resource.metadata;
        return { ...loaded, memory: remembered(uid) ?? { uid, unhealthy: undefined } };
      },
      isLeaving: ({ resource }) => isLeaving(resource, parts.stores),
      finalize: finalizeResource,
      ...((parts.kind.record ?? parts.kind.source) !== undefined &&
        runClock && {
          record: (loaded: Loaded) =>
            recall(loaded, {
              ...parts,
              clock: runClock,
              expected: {
                of: (before, record) => expectedStatus(before, record, parts),
                onWritten: (status, { resource }) =>
                  announceStatus({ status, cause: undefined }, { resource }, parts),
              },
            }),
        }),
      ...(protectsRuns(parts.kind) && { abandon: (key: string) => releaseOrphans(key, parts) }),
      converge: async (loaded) => {
        let released: readonly StepReason[];
        try {
          // A kind without a record, for example after an upgrade, does not need the outcomes.
          const { record, childRules } = parts.kind;
          const isUnrecorded = record === undefined && childRules.length > 0;
          const { finalRuns = isUnrecorded ? protectedIn(loaded) : [] } = loaded;
          released = await releaseRuns(finalRuns, runs);
        } catch (error) {
          return failedRun(loaded, error);
        }
        const converged =
          parts.kind.retire === undefined || runClock === undefined
            ? await convergeKind(loaded, parts)
            : await retireOrConverge(loaded, {
                ...parts,
                kindClock: runClock,
                finalize: finalizeResource,
              });
        return converged && { ...converged, steps: [...released, ...converged.steps] };
      },
      judge: (loaded, converged) => judgeKind(loaded, converged, parts),
      report: (run, onWritten) =>
        report(run, { ...parts, resources: parts.stores.resources(parts.kind.definition) }, onWritten),
      announce: (loaded, { changes }) => announceChanges(changes, loaded, parts),
      onNamespaceTerminating: parts.onNamespaceTerminating,
    };
  };
}

/** Reads the source of a resource, and updates its record. Undefined: it was deleted. */
async function recall(
  loaded: Loaded,
  options: WriteRecordOptions & FollowSourceOptions,
): Promise<Loaded | undefined> {
  const sourced = await followSource(loaded, options);
  if (awaitsSource(options.kind, sourced.sourced?.state)) return sourced;
  if (options.kind.record === undefined) return followSpans(sourced, options);
  const now = await writeRecord(sourced, options);
  const isFolded = now?.folded !== undefined;
  return now && followSpans({ ...now, finalRuns: finalRunsOf(loaded, { isFolded }) }, options);
}

/** Undefined: nothing blocks the deletion of the resource. */
function describeHeld({ resource }: Loaded, left: readonly OwnedObject[]): ConvergedKind | undefined {
  if (left.length === 0) return undefined;
  const names = left.map(({ live }) => describeObject(live)).sort();
  const message = `Waiting for ${listNames(names)} to be deleted; finalizers block it`;
  return {
    ...unchanged,
    outcome: { state: "waiting", reason: "Deleting", message, isWatched: true, isQuiet: true },
    generation: resource.metadata.generation,
  };
}
