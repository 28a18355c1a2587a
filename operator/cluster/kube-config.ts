import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import type { Clock } from "../ports.ts";
import { CachedValue } from "./cached-value.ts";
import { type ClusterAccess, ClusterAccessError } from "./cluster-access.ts";
import { objectIn } from "./json-value.ts";
import {
  basicAuthorization,
  type ContextFile,
  mergeFiles,
  needsClient,
  parseFile,
} from "./kube-config-file.ts";

export interface LoadClusterAccessOptions {
  /** Value of `--kubeconfig`. */
  readonly kubeconfig?: string | undefined;
  /** Value of `--context`; otherwise the file's current context. */
  readonly context?: string | undefined;
  /** The process environment: the caller is the config boundary. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Folder with token, ca.crt and namespace. Default: the path at which Kubernetes mounts a service account. */
  readonly serviceAccountFolder?: string;
}

const mountedServiceAccount = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Finds the API server and the credentials: `--kubeconfig`, then `KUBECONFIG`, then the pod's service account, then
 * `~/.kube/config`. Static credentials of a file are read here; an exec plugin or an auth provider uses
 * `@kubernetes/client-node`, which is loaded only then, because loading it takes about 90 MB.
 *
 * @throws ClusterAccessError naming what is missing, and in which file.
 */
export async function loadClusterAccess(options: LoadClusterAccessOptions): Promise<ClusterAccess> {
  const { kubeconfig, env } = options;
  if (kubeconfig !== undefined) return await accessFromFiles([kubeconfig], options);
  const named = (env["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
  if (named.length > 0) return await accessFromFiles(named, options);
  if (env["KUBERNETES_SERVICE_HOST"] !== undefined) return await accessInCluster(options);
  return await accessFromFiles([join(env["HOME"] ?? homedir(), ".kube", "config")], options);
}

async function accessInCluster(options: LoadClusterAccessOptions): Promise<ClusterAccess> {
  const { env, clock, serviceAccountFolder: folder = mountedServiceAccount } = options;
  const host = env["KUBERNETES_SERVICE_HOST"] ?? "";
  const port = env["KUBERNETES_SERVICE_PORT"] ?? "443";
  const server = new URL(`https://${host.includes(":") ? `[${host}]` : host}:${port}`);
  refuseProxy(options, server);
  const token = new CachedValue(() => readNamed(join(folder, "token"), "service account token"), clock);
  const namespace = await readFile(join(folder, "namespace"), "utf8").catch(() => "default");
  // Fails here, with the name of the file, instead of at the first request.
  await token.read();
  return {
    server,
    namespace: namespace.trim(),
    verifiesServer: true,
    tls: async () => ({ ca: await readNamed(join(folder, "ca.crt"), "service account CA") }),
    authorization: async () => `Bearer ${await token.read()}`,
    forget: () => token.forget(),
  };
}

async function accessFromFiles(
  paths: readonly string[],
  options: LoadClusterAccessOptions,
): Promise<ClusterAccess> {
  const files: ContextFile[] = [];
  for (const path of paths) {
    // Of several files in KUBECONFIG those that do not exist are ignored, as in kubectl.
    const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" && paths.length > 1) return undefined;
      const why = error.code === "ENOENT" ? "no such file" : (error.code ?? error.message);
      throw new ClusterAccessError(`Cannot read kubeconfig "${path}": ${why}`, { cause: error });
    });
    if (text !== undefined) files.push(parseFile(text, path));
  }
  if (files.length === 0)
    throw new ClusterAccessError(`Cannot read kubeconfig "${paths.join(delimiter)}": no such file`);
  const found = mergeFiles(files, options.context);
  refuseProxy(options, found.server, found.proxyUrl);
  if (needsClient(found.user)) {
    const { accessThroughClient } = await import("./client-access.ts");
    const existing = files.map(({ path }) => path);
    return await accessThroughClient(existing, { chosen: found, clock: options.clock });
  }
  return plainAccess(found, options.clock);
}

function plainAccess(found: ReturnType<typeof mergeFiles>, clock: Clock): ClusterAccess {
  const { server, namespace, servername, insecure, cluster, user } = found;
  const tokenFile = user.file("tokenFile");
  const token = new CachedValue(async () => {
    if (tokenFile !== undefined) return await readNamed(tokenFile, "token");
    return user.text("token");
  }, clock);
  const basic = basicAuthorization(user);
  return {
    server,
    namespace,
    ...(servername !== undefined && { servername }),
    verifiesServer: !insecure,
    async tls() {
      const ca = await pem(cluster, "certificate-authority");
      const cert = await pem(user, "client-certificate");
      const key = await pem(user, "client-key");
      return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
    },
    async authorization() {
      const value = await token.read();
      return value === undefined ? basic : `Bearer ${value}`;
    },
    forget: () => token.forget(),
  };
}

type Entry = ReturnType<typeof mergeFiles>["user"];

/** Data of `<field>-data` in base64, or of the file in `<field>`. */
async function pem(entry: Entry, field: string): Promise<string | undefined> {
  const data = entry.text(`${field}-data`);
  if (data !== undefined) return Buffer.from(data, "base64").toString("utf8");
  const path = entry.file(field);
  return path === undefined ? undefined : await readNamed(path, field);
}

async function readNamed(path: string, what: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    const { code = "" } = objectIn(error) as { code?: string };
    const why = code === "ENOENT" ? "no such file" : code;
    throw new ClusterAccessError(`Cannot read ${what} "${path}": ${why}`, { cause: error });
  }
}

/** Ignoring a configured proxy could hang or bypass a firewall, so it is an error. */
function refuseProxy({ env }: LoadClusterAccessOptions, server: URL, proxyUrl?: string): void {
  if (proxyUrl !== undefined)
    throw new ClusterAccessError(`Cannot use the kubeconfig: proxy-url is not supported; remove it`);
  const names = server.protocol === "https:" ? ["HTTPS_PROXY", "https_proxy"] : ["HTTP_PROXY", "http_proxy"];
  const set = [...names, "ALL_PROXY", "all_proxy"].find((name) => (env[name] ?? "") !== "");
  if (set === undefined || isExempt(server.hostname, env["NO_PROXY"] ?? env["no_proxy"] ?? "")) return;
  throw new ClusterAccessError(
    `Cannot reach the API server through the proxy of ${set}: proxies are not supported; ` +
      `add "${server.hostname}" to NO_PROXY, or unset ${set}`,
  );
}

function isExempt(host: string, noProxy: string): boolean {
  if (["localhost", "127.0.0.1", "[::1]"].includes(host)) return true;
  return noProxy.split(",").some((entry) => {
    const name = entry
      .trim()
      .replace(/:\d+$/, "")
      .replace(/^\*?\./, "");
    if (name === "") return false;
    return name === "*" || host === name || host.endsWith(`.${name}`) || isInNetwork(host, name);
  });
}

// `10.0.0.0/8`: clusters usually exempt their service network in this form.
function isInNetwork(host: string, network: string): boolean {
  const [base = "", bits] = network.split("/");
  const [address, start] = [ipv4(host), ipv4(base)];
  if (bits === undefined || address === undefined || start === undefined) return false;
  const size = 2 ** (32 - Number(bits));
  return Math.floor(address / size) === Math.floor(start / size);
}

function ipv4(text: string): number | undefined {
  if (!/^\d+\.\d+\.\d+\.\d+$/.test(text)) return undefined;
  return text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}
