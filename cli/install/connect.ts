import { loadClusterAccess } from "../../operator/cluster/kube-config.ts";
import { ApiTransport } from "../../operator/cluster/transport.ts";
import { systemClock } from "../../operator/runtime/clock.ts";
import { version } from "../../operator/telemetry/version.ts";
import { InstallClient } from "./install-client.ts";

export interface ConnectOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/**
 * Calls a function with a connection as the user of a kubeconfig.
 *
 * @throws ClusterAccessError, ConnectionError, or errors of `use`.
 */
export async function withCluster<T>(
  { kubeconfig, context }: ConnectOptions,
  use: (client: InstallClient, server: URL) => Promise<T>,
): Promise<T> {
  const clock = systemClock();
  const access = await loadClusterAccess({ kubeconfig, context, env: process.env, clock });
  const transport = new ApiTransport(access, { clock, userAgent: `fairlead-cli/${version}` });
  try {
    return await use(new InstallClient(transport), access.server);
  } finally {
    await transport.close();
  }
}
