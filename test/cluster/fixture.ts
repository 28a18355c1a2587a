import { inject, onTestFinished } from "vitest";
import {
  type LocalCluster,
  type StartLocalClusterOptions,
  startLocalCluster,
} from "../../cli/local-cluster/local-cluster.ts";
import type { KubernetesObject } from "../../crds/object.ts";
import { type AuditEvent, type AuditQuery, readAuditLog } from "./audit-log.ts";
import type { TestCluster } from "./global-setup.ts";
import { KubectlError, type KubectlOptions, kubectlFor } from "./kubectl.ts";

export { eventually } from "./eventually.ts";

/** The cluster that all stories of a run share. */
export function testCluster(): TestCluster {
  return inject("testCluster");
}

/** Runs kubectl on the shared cluster as `admin`, and gives what it wrote. */
export function kubectl(args: string | readonly string[], options?: KubectlOptions): Promise<string> {
  return kubectlFor(testCluster())(args, options);
}

/** Runs kubectl with `-o json`, and gives the object (a list has `items`). */
export async function kubectlJson<T = KubernetesObject>(
  args: string | readonly string[],
  options?: KubectlOptions,
): Promise<T> {
  const words = typeof args === "string" ? args.split(/\s+/) : args;
  return JSON.parse(await kubectl([...words, "-o", "json"], options)) as T;
}

/** Applies objects server-side, as the user `admin` and with a field manager of its own. */
export async function applyObjects(...objects: readonly object[]): Promise<void> {
  await kubectl("apply --server-side --field-manager=test -f -", { input: objects });
}

/** Reads one object; undefined if it is not there. `type` as kubectl takes it: `deployment`, `echoes.example.dev`. */
export async function readObject<T = KubernetesObject>(
  type: string,
  name: string,
  namespace?: string,
): Promise<T | undefined> {
  const place = namespace === undefined ? [] : ["-n", namespace];
  try {
    return await kubectlJson<T>(["get", type, name, ...place]);
  } catch (error) {
    if (error instanceof KubectlError && error.message.includes("(NotFound)")) return undefined;
    throw error;
  }
}

export interface NamespaceOptions {
  /** Begins the name, which ends at random. */
  readonly prefix?: string;
  /** When it is removed; in a `beforeAll`, pass `afterAll`. Default: after the test. */
  readonly onEnd?: (remove: () => Promise<void>) => void;
}

/** Makes a namespace for one test, and gives its name. */
export async function aNamespace({
  prefix = "story",
  onEnd = onTestFinished,
}: NamespaceOptions = {}): Promise<string> {
  const name = `${prefix}-${crypto.randomUUID().slice(0, 8)}`;
  onEnd(async () => {
    await kubectl(["delete", "namespace", name, "--wait=false", "--ignore-not-found"]);
  });
  await kubectl(["create", "namespace", name]);
  return name;
}

/** The requests that the shared API server answered, the truth about who asked it what. */
export function auditEvents(query?: AuditQuery): Promise<AuditEvent[]> {
  return readAuditLog(testCluster().auditLogPath, query);
}

/** Starts a cluster for one test alone, to break it. It takes 4 to 5 s, and ends with the test. */
export async function aClusterOfItsOwn(options: StartLocalClusterOptions = {}): Promise<LocalCluster> {
  const cluster = await startLocalCluster({ name: "story", fsync: false, ...options });
  onTestFinished(() => cluster.stop());
  return cluster;
}
