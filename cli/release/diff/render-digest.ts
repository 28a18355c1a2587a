import type { CustomResource } from "../../../crds/object.ts";
import { toLiveObject } from "../../../operator/cluster/live-object.ts";
import { prepareManifests } from "../../../operator/desire/release/prepare-manifests.ts";
import { readKinds } from "../read-kinds.ts";
import type { ReleaseObject } from "../release-object.ts";
import type { DiffReleaseOptions } from "./diff-release.ts";
import { renderRelease } from "./render-release.ts";

/**
 * Digest of all manifests of a Release at a commit or of a folder, as the operator computes it.
 *
 * @throws SourceError or WeakSandboxError if it cannot be rendered.
 */
export async function renderDigest(
  release: ReleaseObject,
  { session, onPrepared, ...options }: Omit<DiffReleaseOptions, "shapeOf">,
): Promise<string> {
  const { rendered } = await renderRelease(release, { client: session.client, ...options });
  const resource = toLiveObject(release) as CustomResource<ReleaseObject["spec"], ReleaseObject["status"]>;
  const prepared = prepareManifests(rendered, resource, await readKinds(session.transport));
  onPrepared?.(prepared);
  return prepared.digest;
}
