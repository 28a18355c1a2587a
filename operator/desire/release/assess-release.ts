import { toMilliseconds } from "../../../crds/duration.ts";
import { keyOf, type LiveObject } from "../../../crds/object.ts";
import type { ReleaseResource } from "../../../crds/release.ts";
import type { ObjectId } from "../../../synth/manifest.ts";
import type { FoundStores, KindCatalog } from "../../cluster/found-kinds/ports.ts";
import {
  assessChildren,
  assessSet,
  type HealthTimeout,
  type UnhealthySinceInput,
  unhealthySinceMs,
} from "../../engine/health/assess-set.ts";
import type { Health } from "../../engine/health/health.ts";
import type { HealthChecks } from "../../engine/health/health-checks.ts";
import { recordedIdsOf } from "../../engine/inventory.ts";
import type { LoadedRelease } from "./load-release.ts";
import { watchRecorded } from "./recorded-kinds.ts";
import type { Desired } from "./release-memory.ts";

export interface AssessReleaseOptions {
  readonly stores: FoundStores;
  readonly checks: HealthChecks;
  readonly catalog: KindCatalog;
  /** Wall clock, milliseconds since 1970. */
  readonly nowMs: number;
}

/** The health of the objects of a Release's source. */
export function assessDesired(
  { resource }: Pick<LoadedRelease, "resource">,
  { prepared, commit }: Desired,
  { stores, checks, nowMs }: AssessReleaseOptions,
): Health {
  const { spec, status } = resource;
  const [last] = status?.history ?? [];
  const isDeployed = last?.digest === prepared.digest && last.revision === commit.id;
  return assessSet({
    prepared,
    liveOf: ({ kind, manifest }) => kind && stores.watch(kind).store.get(keyOf(manifest)),
    finished: status?.inventory?.finished,
    assess: (live) => checks.assess(live, spec.healthChecks, { nowMs }),
    ...timeoutOf(resource, {
      isNew: status?.attempted !== commit.id,
      deployedAt: isDeployed ? last.deployedAt : undefined,
      nowMs,
    }),
  });
}

/**
 * The health of the recorded objects of a Release whose manifests are unknown, because its source is unavailable after a
 * restart or an edit of the spec. Undefined: some objects are not in the local copies, or the record does not show which of
 * them are desired, for example with `prune: false`.
 */
export function assessRecorded(
  { key, resource, set }: Pick<LoadedRelease, "key" | "resource" | "set">,
  options: AssessReleaseOptions,
): Health | undefined {
  const { checks, nowMs, stores } = options;
  const finished = finishedIdsOf(resource);
  const ids = deployedIdsOf(resource, finished);
  if (ids === undefined) return undefined;
  const { areKnown, unseen } = watchRecorded({ key, resource }, options);
  if (!areKnown || unseen.size > 0) return undefined;
  const owned = stores.owned(set, recordedIdsOf(resource));
  const liveById = new Map<ObjectId, LiveObject>(owned.map(({ id, live }) => [id, live]));
  const children = [...ids].flatMap((id) => {
    const live = liveById.get(id);
    if (live === undefined && finished.has(id)) return [];
    const health = checks.assess(live, resource.spec.healthChecks, { nowMs });
    return { child: live ?? namedBy(id), health };
  });
  const deployedAt = resource.status?.history?.[0]?.deployedAt;
  return assessChildren(children, timeoutOf(resource, { deployedAt, nowMs }));
}

function timeoutOf(
  { spec: { timeout }, status }: ReleaseResource,
  since: Omit<UnhealthySinceInput, "conditions">,
): HealthTimeout {
  const sinceMs = unhealthySinceMs({ conditions: status?.conditions, ...since });
  return { sinceMs, timeout, timeoutMs: toMilliseconds(timeout), nowMs: since.nowMs };
}

/** The recorded objects, if they are exactly those of the last complete deployment. */
function deployedIdsOf(
  { metadata, spec, status }: ReleaseResource,
  finished: ReadonlySet<ObjectId>,
): ReadonlySet<ObjectId> | undefined {
  const { inventory } = status ?? {};
  if (inventory?.deployed === undefined) return undefined;
  const ids = new Set([...inventory.entries, ...finished]);
  const { namespace, createNamespace } = spec.target;
  // A target namespace that another client created counts as deployed, but is not recorded.
  const isEnsured = createNamespace && namespace !== undefined && namespace !== metadata.namespace;
  const unrecorded = isEnsured && !ids.has(`/Namespace//${namespace}`) ? 1 : 0;
  return ids.size + unrecorded === inventory.deployed ? ids : undefined;
}

/** Jobs that have finished, and may have been deleted automatically since then. */
function finishedIdsOf({ status }: Pick<ReleaseResource, "status">): ReadonlySet<ObjectId> {
  return new Set(status?.inventory?.finished?.map((run) => run.slice(0, run.lastIndexOf(" "))));
}

/** Kind and name of an object that does not exist. */
function namedBy(id: ObjectId) {
  const [, kind = "", namespace = "", ...name] = id.split("/");
  return { kind, metadata: { name: name.join("/"), ...(namespace !== "" && { namespace }) } };
}
