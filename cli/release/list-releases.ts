import { Release } from "../../crds/release.ts";
import type { ApiClient } from "./api-client.ts";
import { labelOfRelease, type ReleaseObject } from "./release-object.ts";

/** All Releases of a namespace, or of all, by namespace and name. */
export async function listReleases(
  client: ApiClient,
  where: { readonly namespace: string | undefined },
): Promise<readonly ReleaseObject[]> {
  const found = (await client.list(Release, where)) as readonly ReleaseObject[];
  return found.toSorted((a, b) => (labelOfRelease(a) < labelOfRelease(b) ? -1 : 1));
}
