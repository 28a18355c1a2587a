import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import { ClusterAccessError } from "./cluster-access.ts";
import { type JsonObject, listIn, objectIn } from "./json-value.ts";

/** One kubeconfig file, not validated yet. */
export interface ContextFile {
  readonly path: string;
  readonly content: JsonObject;
}

/** A cluster or user entry; relative files are relative to the kubeconfig that names them. */
export interface ConfigEntry {
  text(field: string): string | undefined;
  file(field: string): string | undefined;
  has(field: string): boolean;
}

export interface ChosenContext {
  readonly context: string;
  readonly server: URL;
  readonly namespace: string;
  readonly servername: string | undefined;
  readonly insecure: boolean;
  readonly proxyUrl: string | undefined;
  readonly cluster: ConfigEntry;
  readonly user: ConfigEntry;
}

const impersonation = ["as", "as-uid", "as-groups", "as-user-extra"] as const;

export function parseFile(text: string, path: string): ContextFile {
  try {
    return { path, content: objectIn(parse(text)) };
  } catch (error) {
    // The parser's message would quote the file, which contains credentials.
    throw new ClusterAccessError(`Cannot read kubeconfig "${path}": it is not YAML`, {
      cause: withoutText(error),
    });
  }
}

/**
 * Selects the context from one or several files as kubectl merges them: the first file that sets a value has precedence.
 *
 * @throws ClusterAccessError naming what is missing in the context.
 */
export function mergeFiles(files: readonly ContextFile[], wanted: string | undefined): ChosenContext {
  const where = `kubeconfig "${files.map(({ path }) => path).join(", ")}"`;
  const current = files.map(({ content }) => content["current-context"]).find(isText);
  const name = wanted ?? current;
  if (name === undefined) {
    const known = contextNames(files);
    const choice = known.length === 0 ? "it has no contexts" : `it has ${known.join(", ")}`;
    throw new ClusterAccessError(
      `Cannot use ${where}: no current context; choose one with --context (${choice})`,
    );
  }
  const context = findEntry(files, "contexts", "context", name);
  if (context === undefined) throw new ClusterAccessError(`Cannot use ${where}: it has no context "${name}"`);
  const clusterName = context.text("cluster") ?? "";
  const cluster = findEntry(files, "clusters", "cluster", clusterName);
  if (cluster === undefined)
    throw new ClusterAccessError(
      `Cannot use context "${name}" of ${where}: it has no cluster "${clusterName}"`,
    );
  const userName = context.text("user") ?? "";
  const user = findEntry(files, "users", "user", userName);
  if (user === undefined && userName !== "")
    throw new ClusterAccessError(`Cannot use context "${name}" of ${where}: it has no user "${userName}"`);
  // Without it, requests would have all rights of the real user.
  if (user !== undefined && impersonation.some((field) => user.has(field)))
    throw new ClusterAccessError(
      `Cannot use context "${name}" of ${where}: its user acts as another one (as), which is not supported; use credentials of that user`,
    );
  return {
    context: name,
    server: serverOf(cluster, `context "${name}" of ${where}`),
    namespace: context.text("namespace") ?? "default",
    servername: cluster.text("tls-server-name"),
    insecure: cluster.has("insecure-skip-tls-verify"),
    proxyUrl: cluster.text("proxy-url"),
    cluster,
    user: user ?? entryOf({}, ""),
  };
}

/** Whether the credentials come from an exec plugin or an auth provider, which only client-node supports. */
export function needsClient(user: ConfigEntry): boolean {
  return user.has("exec") || user.has("auth-provider");
}

/** Value of the Authorization header for a user with name and password. */
export function basicAuthorization(user: ConfigEntry): string | undefined {
  const [username, password] = [user.text("username"), user.text("password")];
  if (username === undefined || password === undefined) return undefined;
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

function serverOf(cluster: ConfigEntry, where: string): URL {
  const text = cluster.text("server") ?? "";
  const server = URL.canParse(text) ? new URL(text) : undefined;
  if (server === undefined || !["https:", "http:"].includes(server.protocol))
    throw new ClusterAccessError(`Cannot use ${where}: the cluster's server "${text}" is not a URL`);
  return server;
}

function contextNames(files: readonly ContextFile[]): readonly string[] {
  return files.flatMap(({ content }) =>
    listIn(content["contexts"])
      .map((entry) => objectIn(entry)["name"])
      .filter(isText),
  );
}

function findEntry(
  files: readonly ContextFile[],
  list: "contexts" | "clusters" | "users",
  field: string,
  name: string,
): ConfigEntry | undefined {
  for (const { path, content } of files) {
    const found = listIn(content[list])
      .map(objectIn)
      .find((entry) => entry["name"] === name);
    if (found !== undefined) return entryOf(objectIn(found[field]), path);
  }
  return undefined;
}

function entryOf(fields: JsonObject, path: string): ConfigEntry {
  function text(field: string): string | undefined {
    const value = fields[field];
    return isText(value) ? value : undefined;
  }
  return {
    text,
    has: (field) => fields[field] !== undefined && fields[field] !== null && fields[field] !== false,
    file(field) {
      const value = text(field);
      return value === undefined ? undefined : resolve(dirname(path), value);
    },
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function withoutText(error: unknown): Error {
  return new Error(error instanceof Error ? error.name : "YAML error");
}
