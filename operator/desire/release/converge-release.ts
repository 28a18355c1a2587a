import type { Inventory } from "../../../crds/inventory.ts";
import type { LiveObject } from "../../../crds/object.ts";
import { Release } from "../../../crds/release.ts";
import { idOf, kindIn } from "../../../synth/manifest.ts";
import type { KindCatalog } from "../../cluster/found-kinds/ports.ts";
import { type Converged, type ConvergeOptions, converge } from "../../engine/converge.ts";
import type { HealthChecks } from "../../engine/health/health-checks.ts";
import { recordedIdsOf } from "../../engine/inventory.ts";
import { type ApplyOutcome, describeFailure, listNames } from "../../engine/outcome.ts";
import { isDefinition } from "../../engine/plan.ts";
import type { Subject } from "../../engine/subject.ts";
import { ApiUnavailableError, ObjectRejectedError } from "../../errors.ts";
import type { Cluster } from "../../ports.ts";
import type { LoadedRelease } from "./load-release.ts";
import { observe } from "./object-places.ts";
import { pruneInputOf } from "./prune-release.ts";
import { describeSet, type RecordOptions, recordObjects } from "./record-set.ts";
import { type RecordedKinds, watchRecorded } from "./recorded-kinds.ts";
import type { Desired, KnownObjects } from "./release-memory.ts";
import { afterFailure, type TakeInventoryOptions, takeInventory, withSeen } from "./take-inventory.ts";

export interface ConvergeReleaseOptions
  extends TakeInventoryOptions,
    Omit<ConvergeOptions, "cluster" | "acting" | "stores"> {
  /** Uses the operator's own permissions: for the Release itself. */
  readonly cluster: Cluster;
  /** Uses the permissions of the Release: for its objects. */
  readonly acting: Cluster;
  readonly catalog: KindCatalog;
  readonly records: RecordOptions["records"];
  /** A namespace of the cluster, if the operator may watch namespaces. */
  readonly namespaceOf: (name: string) => LiveObject | undefined;
  readonly checks: HealthChecks;
  readonly nowMs: number;
}

export interface ConvergedRelease extends Converged {
  /** Current objects of the Release. Undefined: pruning was not decided. */
  readonly inventory: Inventory | undefined;
  /** Late requests may still create objects: reconcile again after this many milliseconds. */
  readonly againAfterMs: number | undefined;
  /** The memory of its objects. */
  readonly objects: KnownObjects;
}

/** Converges the desired set of a Release's source. A failure is returned as a value; the caller reports or throws it. */
export async function convergeRelease(
  release: LoadedRelease,
  desired: Desired,
  options: ConvergeReleaseOptions,
): Promise<ConvergedRelease> {
  const recorded = watchRecorded(release, options);
  const known: Known = { objects: release.memory.objects };
  let taken: Pick<ConvergedRelease, "inventory" | "againAfterMs"> = {
    inventory: undefined,
    againAfterMs: undefined,
  };
  const subject: Subject = {
    ...subjectOf(release, desired, { recorded, known, options }),
    conclude: async ({ outcome, pruned }) => {
      if (pruned === undefined) return;
      const isApplied = outcome.state === "applied";
      const { unseen } = recorded;
      const input = { release, desired, known: known.objects, pruned, isApplied, unseen };
      const { inventory, againAfterMs, known: objects } = takeInventory(input, options);
      known.objects = objects;
      const wanted = desired.prepared.objects.map(({ id }) => id);
      await describeSet(release, [...inventory.entries, ...wanted], options);
      taken = { inventory, againAfterMs };
    },
  };
  return { ...(await converge(subject, options)), ...taken, objects: known.objects };
}

/** The knowledge of this run about the objects. */
interface Known {
  objects: KnownObjects;
}

interface Parts {
  readonly recorded: RecordedKinds;
  readonly known: Known;
  readonly options: ConvergeReleaseOptions;
}

function subjectOf(release: LoadedRelease, desired: Desired, { recorded, known, options }: Parts): Subject {
  const { key, resource } = release;
  const { stores, catalog, checks, nowMs, releases } = options;
  const { prepared } = desired;
  const ensured = new Set(prepared.objects.flatMap(({ id, isEnsured }) => (isEnsured ? id : [])));
  return {
    key,
    kind: Release,
    title: `Release/${resource.metadata.name}`,
    whose: "this Release's",
    originOf: (id) => prepared.objects.find((object) => object.id === id)?.origin,
    claimed: known.objects.found,
    desire: () => ({ resource, desired: prepared }),
    observed: (claimed) => observe({ release, claimed }, options),
    watch: (kind) => stores.watch(kind, key),
    assess: (live) => checks.assess(live, resource.spec.healthChecks, { nowMs }),
    finished: () => resource.status?.inventory?.finished,
    askKind: ({ manifest: { apiVersion, kind } }) => catalog.ask(apiVersion, kind, key),
    record: (plan) => recordObjects(release, { plan, prepared }, options),
    onApplied: ({ step, live }) => {
      const id = idOf(live);
      // Our own writes cause no event, but the next object may be of the kind that this CRD defines. The watch may have
      // a newer version of the CRD.
      if (isDefinition(id)) catalog.learn(stores.watch(step.kind).store.get(live.metadata.name) ?? live);
      if (ensured.has(id))
        known.objects = { ...known.objects, found: new Map([...known.objects.found, [id, live]]) };
    },
    onSettled: () => {
      known.objects = withSeen(known.objects, release, options);
    },
    surplus: (_, claimed) =>
      recorded.areKnown
        ? {
            why: "no longer in the source",
            input: () =>
              pruneInputOf(release, desired, {
                owned: stores.owned(release.set, recordedIdsOf(releases.get(key) ?? resource)),
                observed: observe({ release, claimed }, options),
              }),
          }
        : undefined,
    describeEnd: ({ isComplete }) => (isComplete ? describeUnknown(recorded) : undefined),
    onFailure: (error) => {
      known.objects = afterFailure(options);
      return explainByDefinition(error, catalog);
    },
  };
}

/**
 * The outcome of an apply that failed because the API server does not serve a recently accepted CRD yet. It is retried, and
 * neither stalled nor reported. Undefined: the failure has another cause. Pure.
 */
export function explainByDefinition(
  error: unknown,
  catalog: Pick<KindCatalog, "isDefinitionNew">,
): ApplyOutcome | undefined {
  if (error instanceof ApiUnavailableError && error.unknownKind !== undefined)
    return catalog.isDefinitionNew(error.unknownKind) ? { state: "retry" } : undefined;
  if (!(error instanceof ObjectRejectedError) || !error.isBySchema) return undefined;
  if (!catalog.isDefinitionNew(kindIn(error.id))) return undefined;
  const refused = describeFailure(error, "");
  const why = refused.state === "refused" ? `. ${refused.message}` : "";
  const message = `Waiting for the API server to serve the new CustomResourceDefinition${why}`;
  return { state: "waiting", message, isWatched: true };
}

/** Describes why objects of the Release are not known; undefined: all of them are known. */
function describeUnknown({ areKnown, refusals }: RecordedKinds): ApplyOutcome | undefined {
  if (areKnown) return undefined;
  if (refusals.length === 0) return { state: "retry" };
  const message = `Cannot read all of its objects: ${listNames(refusals)}`;
  return { state: "waiting", message, isWatched: true };
}
