import type { DeclaredKind } from "../../crds/binding.ts";
import { loadClusterAccess } from "../../operator/cluster/kube-config.ts";
import { ApiTransport } from "../../operator/cluster/transport.ts";
import { WatchConnection } from "../../operator/cluster/watch-connection.ts";
import { KubeWatchSource } from "../../operator/cluster/watch-source.ts";
import { systemClock } from "../../operator/runtime/clock.ts";
import { KindStores } from "../../operator/runtime/kind-stores.ts";
import { createLogger } from "../../operator/telemetry/log.ts";

export interface WatchedCluster {
  readonly transport: ApiTransport;
  readonly stores: KindStores;
  close(): Promise<void>;
}

export interface WatchClusterOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

/** A connection with the permissions of the user, and local copies of all resources and their children. */
export async function watchCluster(
  kinds: readonly DeclaredKind[],
  { kubeconfig, context }: WatchClusterOptions,
): Promise<WatchedCluster> {
  const clock = systemClock();
  const access = await loadClusterAccess({ kubeconfig, context, env: process.env, clock });
  const userAgent = "fairlead-start";
  const transport = new ApiTransport(access, { clock, userAgent });
  const connection = new WatchConnection(access, { clock, userAgent });
  const stores = new KindStores({
    // The table does not show objects of the children.
    kinds: kinds.map((kind) => ({ ...kind, related: [] })),
    namespaces: [],
    clock,
    random: Math.random,
    log: createLogger({ clock, level: "error" }),
    sourceOf: (kind, { selector }) =>
      new KubeWatchSource({ kind, labelSelector: selector, transport, connection, clock }),
  });
  const watching = new AbortController();
  const reflectors = stores.run(watching.signal);
  return {
    transport,
    stores,
    async close() {
      watching.abort();
      await reflectors;
      await connection.close();
      await transport.close();
    },
  };
}
