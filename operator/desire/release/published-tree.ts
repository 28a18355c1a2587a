import type { ReleaseResource } from "../../../crds/release.ts";
import { Release } from "../../../crds/release.ts";
import { filesOf, folderOf } from "../../../synth/file-tree.ts";
import type { DesiredSet } from "../../engine/desired-set.ts";
import { publishedOf } from "../../engine/published.ts";
import type { SourceCommit } from "../../git/source/ports.ts";
import type { Rendered } from "../../render/ports.ts";

export interface PublishedTreeInput {
  readonly release: ReleaseResource;
  readonly prepared: DesiredSet;
  readonly rendered: Pick<Rendered, "programDigest" | "inputsDigest">;
  /** The newest commit that changed the deployed files. */
  readonly commit: SourceCommit;
}

/** Published files of a Release. */
export interface PublishedTree {
  /** Path of the folder below the root of the location. */
  readonly folder: string;
  /** Equal digests mean equal files. */
  readonly digest: string;
  /** `Key: value` lines for the end of the commit message. */
  readonly trailers: readonly string[];
  /** Renders the files below the folder, without stamps and without the values of Secrets. */
  readonly render: () => ReadonlyMap<string, string>;
}

/**
 * The files of a Release for git. Objects of its target namespace are in the folder itself, others in a folder below. Pure.
 */
export function publishedTree({ release, prepared, rendered, commit }: PublishedTreeInput): PublishedTree {
  const { name, namespace } = release.metadata;
  const home = release.spec.target.namespace ?? namespace;
  const { manifests, digest } = publishedOf(prepared);
  const { programDigest, inputsDigest } = rendered;
  return {
    folder: folderOf(Release, release),
    digest,
    trailers: [
      `Fairlead-Source: ${commit.id}`,
      ...(programDigest === undefined ? [] : [`Fairlead-Program: ${programDigest}`]),
      ...(inputsDigest === undefined ? [] : [`Fairlead-Inputs: ${inputsDigest}`]),
    ],
    render: () =>
      filesOf(manifests, {
        metadata: { ...release.metadata, name, ...(home !== undefined && { namespace: home }) },
      }),
  };
}
