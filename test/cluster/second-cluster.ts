import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type LocalCluster,
  openLocalCluster,
  startLocalCluster,
} from "../../cli/local-cluster/local-cluster.ts";
import { installStagePolicies } from "./stage-policies.ts";

/**
 * An API server without controllers. Test files share it that install admission policies for all namespaces, or change shipped
 * kinds. It starts with the first request, because most runs of a few files do not need it.
 */
export interface SecondCluster {
  /** For {@link openSecondCluster}. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Serves the cluster to the processes of the tests. Called in their parent process, which runs longer than they do. */
export async function serveSecondCluster(): Promise<SecondCluster> {
  let started: Promise<LocalCluster> | undefined;
  const server = createServer((_, response) => {
    started ??= start();
    started.then(
      ({ runDirectory }) => response.end(runDirectory),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      await (await started?.catch(() => undefined))?.stop();
    },
  };
}

/** Opens the cluster. The first call starts it. */
export async function openSecondCluster(url: string): Promise<LocalCluster> {
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(`Cannot start the second cluster: ${text}`);
  return openLocalCluster(text);
}

async function start(): Promise<LocalCluster> {
  const cluster = await startLocalCluster({ name: "second", fsync: false, only: "api" });
  try {
    await installStagePolicies(cluster);
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}
