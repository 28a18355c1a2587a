import type { CustomResource, LiveObject, ObjectKind } from "../../crds/object.ts";
import { type Manifest, stamps } from "../../synth/manifest.ts";
import type { ApplyGuard } from "../ports.ts";
import { findDrift } from "./covers.ts";
import { fitToLive } from "./immutable.ts";
import { decideOwnership } from "./ownership.ts";

export interface ApplyStep {
  readonly kind: ObjectKind;
  /** As it is sent: fitted to what may be changed in the live object. */
  readonly manifest: Manifest;
  readonly guard: ApplyGuard;
  /** The object that was planned on, and why it is applied: `absent`, `foreign`, `adopt`, `digest`, or the path of the first drift. */
  readonly live: LiveObject | undefined;
  readonly because: string;
}

export type Decision =
  | { readonly does: "apply"; readonly step: Omit<ApplyStep, "kind"> }
  | { readonly does: "keep" | "replace" | "wait"; readonly live: LiveObject };

export interface DecideObjectOptions {
  readonly resource: CustomResource;
  /** Id of the resource's set of objects. */
  readonly set: string;
  /** Whether applying to exactly this object was tried and changed nothing; see settledHash(). */
  readonly isSettled: (live: LiveObject) => boolean;
}

/** Decides what happens to one desired object: it is applied, kept, replaced, or waited for while it is being deleted. Pure. */
export function decideObject(
  desired: Manifest,
  live: LiveObject | undefined,
  { resource, set, isSettled }: DecideObjectOptions,
): Decision {
  const { whose } = live === undefined ? { whose: "absent" as const } : decideOwnership(live, resource, set);
  // A foreign object may be one that we only think we see: the create-only apply is refused, and a fresh read decides.
  if (live === undefined || whose === "foreign" || whose === "absent") {
    const { manifest = desired } = fitToLive(desired, undefined);
    return { does: "apply", step: { manifest, guard: { mode: "create" }, live, because: whose } };
  }
  if (whose === "leaving" || live.metadata.deletionTimestamp !== undefined) return { does: "wait", live };

  const { manifest, replaces } = fitToLive(desired, live);
  if (replaces !== undefined) return { does: "replace", live: replaces };
  const isSameDigest = annotation(manifest, stamps.digest) === annotation(live, stamps.digest);
  const drift = findDrift(manifest, live);
  if (whose === "ours" && isSameDigest && (drift === undefined || isSettled(live)))
    return { does: "keep", live };
  const because = whose === "adopt" ? whose : isSameDigest ? (drift ?? "") : "digest";
  return {
    does: "apply",
    step: { manifest, guard: { mode: "update", uid: live.metadata.uid }, live, because },
  };
}

/**
 * Whether an object that is waited for belonged to a deleted resource of the same name, and nobody has deleted it yet. An
 * object that another operator made, or that has another owner as well, is left to garbage collection. Pure.
 */
export function isLeftBehind({ ours, metadata }: LiveObject, set: string): boolean {
  const { deletionTimestamp, labels, ownerReferences = [] } = metadata;
  return (
    ours && deletionTimestamp === undefined && labels?.[stamps.set] === set && ownerReferences.length === 1
  );
}

function annotation(object: Manifest, name: string): string | undefined {
  return object.metadata.annotations?.[name];
}
