import type { LiveObject } from "../../../crds/object.ts";
import { Release } from "../../../crds/release.ts";
import { idOf, type ObjectId } from "../../../synth/manifest.ts";
import { hold, isHeld, release } from "../../engine/finalize.ts";
import { entriesToRecord, inventoryOf, type RecordInput, recordedIdsOf } from "../../engine/inventory.ts";
import { writeStatus } from "../../engine/write-status.ts";
import { ReplacedError } from "../../errors.ts";
import type { Cluster, ObjectStore } from "../../ports.ts";
import { applySetMetadata } from "./apply-set.ts";
import type { LoadedRelease } from "./load-release.ts";
import type { SealedRecords } from "./sealed-records.ts";

export interface RecordOptions {
  readonly cluster: Pick<Cluster, "patchMetadata" | "patchStatus">;
  readonly releases: ObjectStore;
  readonly records: Pick<SealedRecords, "seal">;
}

/**
 * Records the objects that a plan will create or adopt, before any request. Even if the operator is killed, the next one
 * finds every object in the record. It is written first or together with our finalizer, so that a Release with our finalizer
 * always has a record.
 *
 * Sends one request for the first record, with finalizer and ApplySet metadata. Sends at most two for a later record: one
 * for the inventory in the status, and one for this metadata. None if all objects are recorded already.
 *
 * @throws ReplacedError if the Release was deleted or changed at the same time. Then no object may be applied.
 */
export async function recordObjects(
  release: Pick<LoadedRelease, "key" | "resource">,
  { plan, prepared }: Omit<RecordInput, "recorded">,
  options: RecordOptions,
): Promise<void> {
  const before = asItIsNow(release, options);
  const entries = entriesToRecord({ plan, prepared, recorded: recordedIdsOf(before) });
  // Send no request for a plan without new objects, such as one that waits for local copies.
  if (entries === undefined && (isHeld(before) || plan.taken.length === 0)) return;
  const isFirst = inventoryOf(before) === undefined;
  const sealed = isFirst && entries !== undefined ? options.records.seal(before, entries) : undefined;
  if (entries !== undefined && sealed === undefined) await writeEntries(before, entries, options);
  const members = entries === undefined ? recordedIdsOf(before) : prepared.objects.map(({ id }) => id);
  await describeSet(release, [...(entries ?? []), ...members], options, sealed);
}

async function writeEntries(
  resource: LiveObject,
  entries: readonly ObjectId[],
  options: Omit<RecordOptions, "records">,
): Promise<void> {
  const { resourceVersion } = resource.metadata;
  const { cluster, releases } = options;
  const at = { resourceVersion };
  const live = await writeStatus(
    resource,
    { inventory: { entries } },
    { kind: Release, cluster, resources: releases, at },
  );
  if (live === undefined) throw new ReplacedError(idOf(resource));
}

/**
 * Adds our finalizer to a Release, the labels and annotations that describe its set to other tools, and the sealed record in
 * the same request.
 */
export async function describeSet(
  release: Pick<LoadedRelease, "key" | "resource">,
  members: Iterable<ObjectId>,
  options: Omit<RecordOptions, "records">,
  sealed?: Readonly<Record<string, string>>,
): Promise<void> {
  const resource = asItIsNow(release, options);
  const set = applySetMetadata(resource, members);
  if (isHeld(resource) && set === undefined && sealed === undefined) return;
  const metadata = { ...set, ...(sealed && { annotations: { ...set?.annotations, ...sealed } }) };
  const live = await hold(resource, { ...options, kind: Release, resources: options.releases }, metadata);
  // No object may be created for a deleted Release.
  if (live === undefined) throw new ReplacedError(idOf(resource));
}

/** Removes our finalizer from a Release that is being deleted. */
export async function releaseHold(
  loaded: Pick<LoadedRelease, "key" | "resource">,
  options: Omit<RecordOptions, "records">,
): Promise<void> {
  const resource = asItIsNow(loaded, options);
  if (!isHeld(resource)) return;
  const live = await release(resource, { ...options, kind: Release, resources: options.releases });
  if (live === undefined) throw new ReplacedError(idOf(resource));
}

/** Reads the current Release. The store contains the operator's own writes. */
function asItIsNow(
  { key, resource }: Pick<LoadedRelease, "key" | "resource">,
  { releases }: Pick<RecordOptions, "releases">,
): LiveObject {
  const live = releases.get(key);
  if (live?.metadata.uid !== resource.metadata.uid) throw new ReplacedError(idOf(resource));
  return live;
}
