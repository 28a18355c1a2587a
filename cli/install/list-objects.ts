import { apiVersionOf, type KubernetesObject, type ObjectKind } from "../../crds/object.ts";
import { collectionPath, withQuery } from "../../operator/cluster/resource-path.ts";
import type { ApiResponse, ApiTransport } from "../../operator/cluster/transport.ts";

export interface ListOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

interface Page<Found> {
  readonly items: readonly Found[];
  readonly metadata: { readonly continue?: string };
}

/**
 * All objects of a kind, page by page, in one namespace or in all.
 *
 * @returns The objects, or the failed response, whose status has the reason.
 */
export async function listObjects<Found extends KubernetesObject>(
  transport: Pick<ApiTransport, "send">,
  kind: ObjectKind,
  { namespace, labelSelector, fieldSelector }: ListOptions = {},
): Promise<readonly Found[] | ApiResponse> {
  const found: Found[] = [];
  // Items of a list have no apiVersion and kind.
  const type = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  let next: string | undefined;
  do {
    const query = { labelSelector, fieldSelector, limit: "500", continue: next };
    const path = withQuery(collectionPath(kind, kind.namespaced ? namespace : undefined), query);
    const response = await transport.send({ method: "GET", path });
    if (response.status >= 300) return response;
    const { items, metadata } = JSON.parse(response.body) as Page<Found>;
    found.push(...items.map((object) => ({ ...object, ...type })));
    next = metadata.continue === "" ? undefined : metadata.continue;
  } while (next !== undefined);
  return found;
}
