import type { ObjectKind } from "../../../crds/object.ts";
import { ApiTransport, type ApiTransportOptions } from "../../../operator/cluster/transport.ts";
import { WatchConnection, type WatchConnectionOptions } from "../../../operator/cluster/watch-connection.ts";
import { KubeWatchSource } from "../../../operator/cluster/watch-source.ts";
import type { Clock } from "../../../operator/ports.ts";
import { systemClock } from "../../../operator/runtime/clock.ts";
import type { WatchEvent } from "../../../operator/runtime/ports.ts";
import { ScriptedApiServer } from "../../fakes/scripted-api-server.ts";

export const configMaps: ObjectKind = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
};

export interface ScriptedCluster extends AsyncDisposable {
  readonly server: ScriptedApiServer;
  readonly transport: ApiTransport;
  readonly connection: WatchConnection;
  readonly source: KubeWatchSource;
}

export interface ScriptedClusterOptions {
  readonly protocol?: "http" | "https" | "h2";
  readonly clock?: Clock;
  readonly transport?: Partial<ApiTransportOptions>;
  readonly connection?: Partial<WatchConnectionOptions>;
}

/** A scripted server and all adapters that connect to it. */
export async function scriptedCluster(options: ScriptedClusterOptions = {}): Promise<ScriptedCluster> {
  const { protocol = "http", clock = systemClock() } = options;
  const server = await ScriptedApiServer.start({ protocol });
  const userAgent = "fairlead/test";
  const transport = new ApiTransport(server.access, { clock, userAgent, ...options.transport });
  const connection = new WatchConnection(server.access, { clock, userAgent, ...options.connection });
  const source = new KubeWatchSource({ kind: configMaps, transport, connection, clock });
  return {
    server,
    transport,
    connection,
    source,
    async [Symbol.asyncDispose]() {
      await Promise.all([transport.close(), connection.close()]);
      await server[Symbol.asyncDispose]();
    },
  };
}

/** All events until the watch ends; its errors are thrown. */
export async function collect(events: AsyncIterable<WatchEvent>): Promise<WatchEvent[]> {
  const seen: WatchEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

export function aConfigMap(name: string, fields: object = {}) {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "shop", uid: `uid-of-${name}`, resourceVersion: "5" },
    ...fields,
  };
}

export const unlimited = new AbortController().signal;
export const fromFive = {
  resourceVersion: "5",
  sendInitialEvents: false,
  timeoutSeconds: 300,
  signal: unlimited,
};
