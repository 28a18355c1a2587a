import type { ObjectKind } from "../../crds/object.ts";
import { Discovery } from "../../operator/cluster/found-kinds/discovery.ts";
import { KindTable } from "../../operator/cluster/found-kinds/kind-table.ts";
import type { ApiTransport } from "../../operator/cluster/transport.ts";

/** The kinds that a cluster has now. */
export interface KnownKinds {
  find(apiVersion: string, kind: string): ObjectKind | undefined;
  /** In the version that the cluster prefers. */
  findGroupKind(group: string, kind: string): ObjectKind | undefined;
  /** Why a kind that is not found cannot be used, for users. */
  explain(apiVersion: string, kind: string): { readonly message: string };
}

/** Runs discovery once. @throws ApiUnavailableError without a response. */
export async function readKinds(transport: Pick<ApiTransport, "send">): Promise<KindTable> {
  const table = new KindTable();
  table.replace((await new Discovery(transport).read()) ?? []);
  return table;
}
