import { groupOf, type LiveObject } from "../../crds/object.ts";
import type { Manifest } from "../../synth/manifest.ts";

/** Finalizer that blocks the deletion of a run until the record of its resource contains the outcome. */
export const RUN_FINALIZER = "fairlead.dev/record";

/** The manifest of a run with our finalizer. Pure. */
export function withRunFinalizer(manifest: Manifest): Manifest {
  const { metadata } = manifest;
  const finalizers = [...(metadata.finalizers ?? []), RUN_FINALIZER];
  return { ...manifest, metadata: { ...metadata, finalizers } };
}

/** Whether our finalizer blocks the deletion of a run. Pure. */
export function isProtectedRun({ metadata }: Pick<LiveObject, "metadata">): boolean {
  return metadata.finalizers?.includes(RUN_FINALIZER) ?? false;
}

/**
 * Whether the outcome of a run is final: it has ended, or only finalizers block its deletion. The second case is a pod that
 * was deleted before it started, or whose node will never report its end. Pure.
 */
export function isOutcomeFinal(live: LiveObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = live.metadata;
  return hasEnded(live) || (deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0);
}

interface EndedStatus {
  readonly phase?: unknown;
  readonly conditions?: readonly { readonly type?: unknown; readonly status?: unknown }[];
}

function hasEnded(live: LiveObject): boolean {
  const { phase, conditions = [] } = (live["status"] ?? {}) as EndedStatus;
  const group = groupOf(live.apiVersion);
  if (group === "" && live.kind === "Pod") return phase === "Succeeded" || phase === "Failed";
  if (group !== "batch" || live.kind !== "Job") return false;
  return conditions.some(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );
}
