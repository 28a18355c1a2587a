import { Command, Option } from "commander";
import { loadClusterAccess } from "../../operator/cluster/kube-config.ts";
import { ApiTransport } from "../../operator/cluster/transport.ts";
import { systemClock } from "../../operator/runtime/clock.ts";
import { version } from "../../operator/telemetry/version.ts";
import type { ConnectOptions } from "../install/connect.ts";
import { ApiClient } from "./api-client.ts";
import { findRelease } from "./find-release.ts";
import type { ReleaseObject } from "./release-object.ts";

/** Options of every command on a Release. */
export interface ReleaseFlags extends ConnectOptions {
  readonly namespace?: string;
  readonly output?: "json";
}

/** The cluster, as a command on Releases uses it. */
export interface ReleaseSession {
  readonly client: ApiClient;
  readonly transport: ApiTransport;
  /** `--namespace`, or the namespace of the kubeconfig's context. */
  readonly namespace: string;
  /** Finds the Release that a name refers to; see {@link findRelease}. */
  find(name: string): Promise<ReleaseObject>;
}

/** A command on one Release, with the common options. */
export function releaseCommand(name: string, description: string): Command {
  return addReleaseOptions(
    new Command(name)
      .description(description)
      .argument("<name>", "name of a Release, or a unique prefix of one; namespace/name")
      .addHelpText("after", "\nExits 0, or 1 on failure."),
  );
}

export function addReleaseOptions(command: Command): Command {
  return addConnectionOptions(command).addOption(
    new Option("-o, --output <format>", "output for programs").choices(["json"]),
  );
}

/** Adds the options that select cluster and namespace. */
export function addConnectionOptions(command: Command): Command {
  return command
    .option("-n, --namespace <name>", "namespace; default: that of the kubeconfig's context")
    .option("--kubeconfig <file>", "kubeconfig file; default: KUBECONFIG, ~/.kube/config")
    .option("--context <name>", "context of the kubeconfig; default: its current context");
}

/**
 * Calls a function with a connection as the user of a kubeconfig.
 *
 * @throws ClusterAccessError, ConnectionError, or errors of `use`.
 */
export async function withReleases<T>(
  { kubeconfig, context, namespace }: ReleaseFlags,
  use: (session: ReleaseSession) => Promise<T>,
): Promise<T> {
  const clock = systemClock();
  const access = await loadClusterAccess({ kubeconfig, context, env: process.env, clock });
  const transport = new ApiTransport(access, { clock, userAgent: `fairlead-cli/${version}` });
  try {
    const client = new ApiClient(transport);
    const session = { client, namespace: namespace ?? access.namespace };
    return await use({ ...session, transport, find: (name) => findRelease(name, session) });
  } finally {
    await transport.close();
  }
}
