import { apiVersionOf, type ObjectMeta } from "../../../crds/object.ts";
import { Release } from "../../../crds/release.ts";
import { idOf, type Manifest, type ObjectId } from "../../../synth/manifest.ts";
import { describeId } from "../../engine/object-text.ts";
import { SourceError } from "../../errors.ts";

/** A manifest with its namespace and its origin. */
export interface NamedManifest {
  readonly id: ObjectId;
  readonly manifest: Manifest;
  readonly origin: string;
}

/** @throws {SourceError} if two manifests define one object. `home` is the namespace of manifests without one. */
export function refuseDuplicates(placed: readonly NamedManifest[], home: string): void {
  const seen = new Map<ObjectId, NamedManifest>();
  for (const one of placed) {
    const other = seen.get(one.id);
    if (other !== undefined) {
      const hint =
        one.manifest.metadata.namespace === home ? ` (objects without a namespace go to "${home}")` : "";
      throw refusal(`${other.origin} and ${one.origin} both define ${describeId(one.id)}${hint}`);
    }
    seen.set(one.id, one);
  }
}

/** Rejects a manifest of the Release itself: it would revert every edit of the Release's spec, and prune the Release. */
export function refuseItself(
  placed: readonly NamedManifest[],
  release: { readonly metadata: Pick<ObjectMeta, "name" | "namespace"> },
): void {
  const apiVersion = apiVersionOf(Release);
  const { name, namespace = "" } = release.metadata;
  const id = idOf({ apiVersion, kind: Release.kind, metadata: { name, namespace } });
  const found = placed.find((one) => one.id === id);
  if (found === undefined) return;
  throw refusal(
    `${found.origin} defines ${describeId(id)}, which is this Release itself: a loop. Exclude it with ` +
      ".fairleadignore, or move it to another folder",
  );
}

/** Describes a cycle with the origins of its objects. */
export function cycleError(cycle: readonly ObjectId[], placed: readonly NamedManifest[]): SourceError {
  const names = cycle.map((id) => {
    const origin = placed.find((one) => one.id === id)?.origin;
    return `${describeId(id)}${origin === undefined ? "" : ` (${origin})`}`;
  });
  return refusal(`these objects depend on each other: ${names.join(" → ")}`);
}

function refusal(why: string): SourceError {
  return new SourceError("RenderFailed", `Cannot apply the manifests of the source: ${why}`);
}
