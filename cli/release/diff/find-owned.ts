import { groupOf, type ObjectKind } from "../../../crds/object.ts";
import { toLiveObject } from "../../../operator/cluster/live-object.ts";
import { ApiUnavailableError } from "../../../operator/errors.ts";
import { inOrder } from "../../../operator/phases/in-order.ts";
import { readApplySet } from "../../../operator/release/core/apply-set.ts";
import type { Prepared } from "../../../operator/release/core/prepare-manifests.ts";
import type { OwnedObject } from "../../../operator/release/ports.ts";
import { idOf, stamps } from "../../../synth/manifest.ts";
import type { ApiClient, StoredObject } from "../api-client.ts";
import type { KnownKinds } from "../read-kinds.ts";
import type { ReleaseObject } from "../release-object.ts";

export interface FindOwnedOptions {
  readonly client: ApiClient;
  readonly kinds: KnownKinds;
}

/** Everything that carries the label of a Release's set, of all kinds and in all places that it recorded or wants. */
export async function findOwned(
  release: ReleaseObject,
  prepared: Prepared,
  { client, kinds }: FindOwnedOptions,
): Promise<readonly OwnedObject[]> {
  const recorded = readApplySet(release);
  const groupKinds = [
    ...recorded.groupKinds,
    ...prepared.objects.map(({ manifest }) => ({ group: groupOf(manifest.apiVersion), kind: manifest.kind })),
  ];
  const wanted = new Set(groupKinds.flatMap(({ group, kind }) => kinds.findGroupKind(group, kind) ?? []));
  const namespaces = new Set([
    release.metadata.namespace,
    ...recorded.namespaces,
    ...prepared.objects.flatMap(({ manifest }) => manifest.metadata.namespace ?? []),
  ]);
  const labelSelector = `${stamps.set}=${prepared.set}`;
  const found = await inOrder([...wanted], async (kind) => {
    const objects = await listEverywhere(kind, { client, labelSelector, namespaces });
    return objects.map((object): OwnedObject => ({ id: idOf(object), kind, live: toLiveObject(object) }));
  });
  return found.flat();
}

/** Whoever may not list all namespaces may list those that count. */
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
