import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { network, pathOf } from "./node/layout.ts";
import type { Stack } from "./stack.ts";

/** The content of a repository: text, or this number of random bytes, which cannot be compressed. */
export type FileContent = string | { readonly bytes: number };

const SECRET = "git";

/** Creates a namespace whose Releases may read the repositories of the run's git host. */
export async function createTenant({ kubectl, runDirectory }: Stack, namespace: string): Promise<void> {
  await kubectl(["create", "namespace", namespace]);
  await kubectl([
    ...["create", "secret", "generic", SECRET, "-n", namespace, "--from-literal=username=operator"],
    `--from-file=password=${pathOf(runDirectory, "gitPassword")}`,
    `--from-file=ca.crt=${pathOf(runDirectory, "gitCertificate")}`,
  ]);
}

/** Replaces all files on the branch main of a repository of the git host. */
export async function commitFiles(
  { runDirectory }: Stack,
  repository: string,
  files: Readonly<Record<string, FileContent>>,
): Promise<void> {
  const folder = join(pathOf(runDirectory, "gitRoot"), `${repository}.git`);
  const env = { PATH: process.env["PATH"], HOME: runDirectory };
  if (!existsSync(folder))
    await ended(spawn("git", ["init", "--quiet", "--bare", "--initial-branch=main", folder], { env }));
  // To compress random bytes, and to search for deltas between them, would take minutes.
  const isRandom = Object.values(files).some((content) => typeof content !== "string");
  const fast = isRandom
    ? [
        ["core.compression", "0"],
        ["core.bigFileThreshold", "1m"],
      ]
    : [];
  for (const [name = "", value = ""] of fast)
    await ended(spawn("git", [`--git-dir=${folder}`, "config", name, value], { env }));
  const words = [`--git-dir=${folder}`, "fast-import", "--quiet"];
  const git = spawn("git", words, { env, stdio: ["pipe", "inherit", "inherit"] });
  const write = async (text: string | Buffer): Promise<void> => {
    if (!git.stdin.write(text)) await once(git.stdin, "drain");
  };
  const isThere = existsSync(join(folder, "refs/heads/main"));
  await write(
    `commit refs/heads/main\ncommitter Tenant <tenant@example.dev> 1700000000 +0000\ndata 6\nCommit\n`,
  );
  await write(isThere ? "from refs/heads/main^0\ndeleteall\n" : "deleteall\n");
  for (const [path, content] of Object.entries(files)) {
    const bytes = typeof content === "string" ? Buffer.from(content) : randomBytes(content.bytes);
    await write(`M 100644 inline ${path}\ndata ${bytes.length}\n`);
    await write(bytes);
    await write("\n");
  }
  git.stdin.end();
  await ended(git);
}

async function ended(child: ChildProcess): Promise<void> {
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${child.spawnargs.join(" ")} ended with ${code}`);
}

export interface ReleaseInput {
  readonly namespace: string;
  readonly name: string;
  /** Default: the namespace. */
  readonly repository?: string;
  /** Folder in the repository. Default: the name. */
  readonly path?: string;
  readonly render: object;
  /** Default: the installation's. */
  readonly interval?: string;
  /** Default: none. */
  readonly serviceAccountName?: string;
}

/** Creates a Release of a folder in a repository of the git host. */
export function releaseOf(input: ReleaseInput): object {
  const { namespace, name, repository, path, render, interval, serviceAccountName } = input;
  const url = `https://${network.address}:${network.gitPort}/${repository ?? namespace}.git`;
  return {
    apiVersion: "fairlead.dev/v1alpha1",
    kind: "Release",
    metadata: { namespace, name },
    spec: {
      source: { url, path: path ?? name, secretRef: { name: SECRET } },
      render,
      ...(interval && { interval }),
      ...(serviceAccountName && { target: { serviceAccountName } }),
    },
  };
}

export async function apply({ kubectl }: Stack, objects: readonly object[]): Promise<void> {
  const items = { apiVersion: "v1", kind: "List", items: objects };
  await kubectl("apply -f -", { input: JSON.stringify(items) });
}

/** Requests an immediate poll of a Release's repository. */
export async function requestPoll({ kubectl }: Stack, namespace: string, name: string): Promise<void> {
  const value = `fairlead.dev/requested-at=${performance.now()}`;
  await kubectl(["annotate", "--overwrite", "-n", namespace, `release/${name}`, value]);
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** Reads one condition of each Release of a namespace, by the Release's name. */
export async function readConditions(
  { kubectl }: Stack,
  namespace: string,
  type: string,
): Promise<ReadonlyMap<string, Condition | undefined>> {
  const { items } = JSON.parse(await kubectl(["get", "releases", "-n", namespace, "-o", "json"])) as {
    items: { metadata: { name: string }; status?: { conditions?: Condition[] } }[];
  };
  return new Map(
    items.map(({ metadata, status }) => [
      metadata.name,
      status?.conditions?.find((condition) => condition.type === type),
    ]),
  );
}

/** Reads the data of a ConfigMap; undefined: it does not exist. */
export async function readConfigMap(
  { kubectl }: Stack,
  namespace: string,
  name: string,
): Promise<Readonly<Record<string, string>> | undefined> {
  const text = await kubectl(["get", "configmap", name, "-n", namespace, "--ignore-not-found", "-o", "json"]);
  return text === "" ? undefined : (JSON.parse(text) as { data: Record<string, string> }).data;
}

/** The restarts of each container of the operator's pods, by pod and container: empty, or how it last ended. */
export async function readRestarts(
  { kubectl }: Stack,
  namespace: string,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const list = JSON.parse(await kubectl(["get", "pods", "-n", namespace, "-o", "json"])) as {
    items: { metadata: { name: string }; status: { containerStatuses?: readonly ContainerStatus[] } }[];
  };
  return Object.fromEntries(
    list.items.flatMap(({ metadata, status }) =>
      (status.containerStatuses ?? []).map(({ name, restartCount, lastState }) => {
        const { reason = "unknown", exitCode } = lastState.terminated ?? {};
        const last = `restarts: ${restartCount}, last end: ${reason}, exit code ${exitCode}`;
        return [`${metadata.name}/${name}`, restartCount === 0 ? [] : [last]];
      }),
    ),
  );
}

interface ContainerStatus {
  readonly name: string;
  readonly restartCount: number;
  readonly lastState: { readonly terminated?: { readonly reason?: string; readonly exitCode: number } };
}
