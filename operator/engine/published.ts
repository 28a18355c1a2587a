import { digestOf } from "../../synth/digest.ts";
import { type Manifest, stamps } from "../../synth/manifest.ts";
import type { DesiredSet } from "./desired-set.ts";

/** The part of a set that is committed to git. */
export interface PublishedSet {
  readonly manifests: readonly Manifest[];
  /** Equal digests mean equal files: objects that are not committed do not affect it. */
  readonly digest: string;
}

/** The objects of a set that are committed to git: without those with `publish: false`. Pure. */
export function publishedOf({
  objects,
  digest,
  hasUnpublished = false,
}: Pick<DesiredSet, "objects" | "digest" | "hasUnpublished">): PublishedSet {
  if (!hasUnpublished) return { manifests: objects.map(({ manifest }) => manifest), digest };
  const published = objects.filter(({ publish }) => publish);
  const parts = published.map(
    ({ id, manifest }) => `${id} ${manifest.metadata.annotations?.[stamps.digest]}\n`,
  );
  // Sort them: the order may depend on objects that are left out.
  return { manifests: published.map(({ manifest }) => manifest), digest: digestOf(parts.sort().join("")) };
}
