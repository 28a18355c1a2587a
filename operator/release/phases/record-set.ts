import type { LiveObject } from "../../../crds/object.ts";
import { Release } from "../../../crds/release.ts";
import { idOf } from "../../../synth/manifest.ts";
import { ReplacedError } from "../../errors.ts";
import { FINALIZER } from "../../phases/finalize.ts";
import type { Cluster, ObjectRef, ObjectStore } from "../../ports.ts";
import { type ApplySetRecord, applySetMetadata } from "../core/apply-set.ts";
import type { LoadedRelease } from "./load-release.ts";

interface RecordOptions {
  readonly cluster: Pick<Cluster, "patchMetadata">;
  readonly releases: ObjectStore;
}

/**
 * Writes down of which kinds and where the Release has objects, with our finalizer, before it gets the first of them:
 * whatever becomes of us, they can be found by their label. One request, and none if it is there already.
 */
export async function recordSet(
  release: Pick<LoadedRelease, "key" | "resource">,
  record: ApplySetRecord,
  options: RecordOptions,
): Promise<void> {
  const resource = asItIsNow(release, options);
  const finalizers = resource.metadata.finalizers ?? [];
  const isHeld = finalizers.includes(FINALIZER);
  const set = applySetMetadata(resource, record);
  if (isHeld && set === undefined) return;
  await patch(resource, { ...set, ...(!isHeld && { finalizers: [...finalizers, FINALIZER] }) }, options);
}

/** Lets a Release go that is being deleted. */
export async function releaseHold(
  release: Pick<LoadedRelease, "key" | "resource">,
  options: RecordOptions,
): Promise<void> {
  const resource = asItIsNow(release, options);
  const finalizers = resource.metadata.finalizers ?? [];
  if (!finalizers.includes(FINALIZER)) return;
  await patch(resource, { finalizers: finalizers.filter((name) => name !== FINALIZER) }, options);
}

/** Our own writes are in the store by now. */
function asItIsNow(
  { key, resource }: Pick<LoadedRelease, "key" | "resource">,
  { releases }: RecordOptions,
): LiveObject {
  const live = releases.get(key);
  if (live?.metadata.uid !== resource.metadata.uid) throw new ReplacedError(idOf(resource));
  return live;
}

async function patch(
  resource: LiveObject,
  change: object,
  { cluster, releases }: RecordOptions,
): Promise<void> {
  const { name, namespace, uid, resourceVersion } = resource.metadata;
  const ref: ObjectRef = { kind: Release, namespace, name };
  // The resourceVersion guards what somebody else puts there at the same time.
  const live = await cluster.patchMetadata(ref, { uid, resourceVersion, ...change });
  // Nothing may be made for a Release that is gone.
  if (live === undefined) throw new ReplacedError(idOf(resource));
  releases.written(live);
}
