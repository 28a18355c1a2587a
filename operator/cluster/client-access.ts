import type { RequestOptions } from "node:https";
import { KubeConfig } from "@kubernetes/client-node";
import type { Clock } from "../ports.ts";
import { CachedValue } from "./cached-value.ts";
import { type ClusterAccess, ClusterAccessError, type TlsMaterial } from "./cluster-access.ts";
import type { ChosenContext } from "./kube-config-file.ts";

interface Credentials {
  readonly authorization: string | undefined;
  readonly tls: TlsMaterial;
}

/**
 * Credentials from an exec plugin or an auth provider. Import this file dynamically: it loads the whole generated
 * client.
 */
export async function accessThroughClient(
  paths: readonly string[],
  { chosen, clock }: { readonly chosen: ChosenContext; readonly clock: Clock },
): Promise<ClusterAccess> {
  const { server, namespace, servername, insecure, context } = chosen;
  const config = new KubeConfig();
  for (const [index, path] of paths.entries()) {
    const file = new KubeConfig();
    file.loadFromFile(path);
    if (index === 0) config.loadFromFile(path);
    else config.mergeConfig(file, true);
  }
  config.setCurrentContext(context);
  const credentials = new CachedValue(() => readCredentials(config, context), clock);
  await credentials.read();
  return {
    server,
    namespace,
    ...(servername !== undefined && { servername }),
    verifiesServer: !insecure,
    tls: async () => (await credentials.read()).tls,
    authorization: async () => (await credentials.read()).authorization,
    forget: () => credentials.forget(),
  };
}

async function readCredentials(config: KubeConfig, context: string): Promise<Credentials> {
  const options: RequestOptions = {};
  try {
    await config.applyToHTTPSOptions(options);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ClusterAccessError(`Cannot get credentials for context "${context}": ${why}`, { cause: error });
  }
  const { ca, cert, key, headers } = options;
  const authorization =
    headers !== undefined && "Authorization" in headers ? headers["Authorization"] : undefined;
  return {
    authorization: typeof authorization === "string" ? authorization : undefined,
    tls: { ...pem("ca", ca), ...pem("cert", cert), ...pem("key", key) },
  };
}

function pem(name: keyof TlsMaterial, value: unknown): TlsMaterial {
  if (typeof value !== "string" && !Buffer.isBuffer(value)) return {};
  return { [name]: value.toString() };
}
