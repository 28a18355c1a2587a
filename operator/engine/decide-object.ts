import type { Lifetime } from "../../crds/child-kind.ts";
import type { CustomResource, LiveObject, ObjectKind } from "../../crds/object.ts";
import { type Manifest, stamps } from "../../synth/manifest.ts";
import type { ApplyGuard } from "../ports.ts";
import { findDrift } from "./covers.ts";
import type { ShapeOf } from "./field-shape.ts";
import { fitToLive } from "./immutable.ts";
import { metadataOnly } from "./metadata-only.ts";
import { decideOwnership } from "./ownership.ts";
import { describeSettled } from "./reasons.ts";
import { withRunFinalizer } from "./run-finalizer.ts";

export interface ApplyStep {
  readonly kind: ObjectKind;
  /** The manifest to send, adapted to the fields that may be changed in the live object. */
  readonly manifest: Manifest;
  readonly guard: ApplyGuard;
  /**
   * The object on which the plan is based, and the reason of the apply: `absent`, `foreign`, `adopt`, `digest`, or the path
   * of the first field with drift.
   */
  readonly live: LiveObject | undefined;
  readonly because: string;
  /** Only these fields of the live object are changed. The manifest contains no others. */
  readonly only?: "metadata";
}

export type Decision =
  | { readonly does: "apply"; readonly step: Omit<ApplyStep, "kind"> }
  /** `because`: why it is kept although it differs from its manifest. */
  | { readonly does: "keep" | "replace" | "wait"; readonly live: LiveObject; readonly because?: string };

export interface DecideObjectOptions {
  readonly resource: CustomResource;
  /** Id of the resource's set of objects. */
  readonly set: string;
  /** Whether applying to exactly this object was tried and changed nothing; see settledHash(). */
  readonly isSettled: (live: LiveObject) => boolean;
  readonly shapeOf: ShapeOf;
  /** Default: `kept`. */
  readonly lifetime?: Lifetime;
  /** Whether the object is created with the finalizer of a run. Default: false. */
  readonly isProtected?: boolean;
}

/** Decides the action for one desired object: apply, keep, replace, or wait for its deletion. Pure. */
export function decideObject(
  desired: Manifest,
  live: LiveObject | undefined,
  options: DecideObjectOptions,
): Decision {
  const { resource, set, isSettled, shapeOf, lifetime = "kept", isProtected = false } = options;
  const { whose } = live === undefined ? { whose: "absent" as const } : decideOwnership(live, resource, set);
  // A foreign object may have been deleted already. If not, the create-only apply is rejected, and a new read decides.
  if (live === undefined || whose === "foreign" || whose === "absent") {
    const { manifest: fitted = desired } = fitToLive(desired, undefined);
    const manifest = isProtected ? withRunFinalizer(fitted) : fitted;
    return { does: "apply", step: { manifest, guard: { mode: "create" }, live, because: whose } };
  }
  if (whose === "leaving" || live.metadata.deletionTimestamp !== undefined) return { does: "wait", live };
  if (lifetime !== "kept") return decideMetadata(desired, live, { whose, lifetime, isSettled, shapeOf });

  const { manifest, replaces } = fitToLive(desired, live);
  if (replaces !== undefined) return { does: "replace", live: replaces };
  const isSameDigest = annotation(manifest, stamps.digest) === annotation(live, stamps.digest);
  const drift = findDrift(manifest, live, shapeOf);
  if (whose === "ours" && isSameDigest) {
    if (drift === undefined) return { does: "keep", live };
    if (isSettled(live)) return { does: "keep", live, because: describeSettled(drift) };
  }
  const because = whose === "adopt" ? whose : isSameDigest ? (drift ?? "") : "digest";
  return {
    does: "apply",
    step: { manifest, guard: { mode: "update", uid: live.metadata.uid }, live, because },
  };
}

interface MetadataOptions extends Pick<DecideObjectOptions, "isSettled" | "shapeOf"> {
  readonly whose: "ours" | "adopt";
  readonly lifetime: Exclude<Lifetime, "kept">;
}

/** Decides the action for an object that is created once: keep it, or correct its labels, annotations and owner references. */
function decideMetadata(
  desired: Manifest,
  live: LiveObject,
  { whose, lifetime, isSettled, shapeOf }: MetadataOptions,
): Decision {
  const keep = { does: "keep", live, because: `its lifetime is "${lifetime}"` } as const;
  if (whose === "ours" && (lifetime === "once" || isSettled(live))) return keep;
  const manifest = metadataOnly(desired);
  const drift = findDrift(manifest, live, shapeOf);
  if (drift === undefined) return keep;
  const isSameDigest = annotation(desired, stamps.digest) === annotation(live, stamps.digest);
  const because = whose === "adopt" ? whose : isSameDigest ? drift : "digest";
  const guard = { mode: "update", uid: live.metadata.uid } as const;
  return { does: "apply", step: { manifest, guard, live, because, only: "metadata" } };
}

/**
 * Whether an object belonged to a deleted resource of the same name and still exists. False for an object that another
 * operator created, or that also has another owner: garbage collection deletes it. Pure.
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
