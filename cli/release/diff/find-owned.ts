import type { ObjectKind } from "../../../crds/object.ts";
import { toLiveObject } from "../../../operator/cluster/live-object.ts";
import type { OwnedObject } from "../../../operator/engine/desired-set.ts";

import { inOrder } from "../../../operator/engine/in-order.ts";
import { recordedIdsOf } from "../../../operator/engine/inventory.ts";
import { ApiUnavailableError } from "../../../operator/errors.ts";
import { idOf, kindIn, stamps } from "../../../synth/manifest.ts";
import type { ApiClient, StoredObject } from "../api-client.ts";
import type { KnownKinds } from "../read-kinds.ts";
import type { ReleaseObject } from "../release-object.ts";

export interface FindOwnedOptions {
  readonly client: ApiClient;
  readonly kinds: KnownKinds;
}

/** The objects that a Release has recorded and that have the label of its set, as the operator finds them. */
export async function findOwned(
  release: ReleaseObject,
  set: string,
  { client, kinds }: FindOwnedOptions,
): Promise<readonly OwnedObject[]> {
  const recorded = recordedIdsOf(release);
  const recordedKinds = [...new Set([...recorded].map(kindIn))].flatMap((groupKind) => {
    const [group = "", name = ""] = groupKind.split("/");
    return kinds.findGroupKind(group, name) ?? [];
  });
  const namespaces = new Set([...recorded].flatMap((id) => id.split("/")[2] || []));
  const labelSelector = `${stamps.set}=${set}`;
  const found = await inOrder(recordedKinds, async (kind) => {
    const objects = await listEverywhere(kind, { client, labelSelector, namespaces });
    return objects.map((object): OwnedObject => ({ id: idOf(object), kind, live: toLiveObject(object) }));
  });
  return found.flat().filter(({ id }) => recorded.has(id));
}

/** A user who may not list objects in all namespaces may list those of the set's namespaces. */
async function listEverywhere(
  kind: ObjectKind,
  {
    client,
    labelSelector,
    namespaces,
  }: { readonly client: ApiClient; readonly labelSelector: string; readonly namespaces: ReadonlySet<string> },
): Promise<readonly StoredObject[]> {
  try {
    return await client.list(kind, { labelSelector });
  } catch (error) {
    if (!(error instanceof ApiUnavailableError && error.status === 403 && kind.namespaced)) throw error;
    const lists = await inOrder([...namespaces], (namespace) =>
      client.list(kind, { namespace, labelSelector }),
    );
    return lists.flat();
  }
}
