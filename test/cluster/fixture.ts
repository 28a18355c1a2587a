import { inject, onTestFinished } from "vitest";
import {
  type LocalCluster,
  type StartLocalClusterOptions,
  startLocalCluster,
} from "../../cli/local-cluster/local-cluster.ts";
import type { KubernetesObject } from "../../crds/object.ts";
import { type AuditEvent, type AuditQuery, keepOperatorRequests, readAuditLog } from "./audit-log.ts";
import { type DirectApi, openDirectApi } from "./direct.ts";
import { eventually } from "./eventually.ts";
import type { SharedCluster } from "./global-setup.ts";
import { type KubectlOptions, kubectlFor } from "./kubectl.ts";
import { openSecondCluster } from "./second-cluster.ts";

export { eventually } from "./eventually.ts";

/** The shared cluster without kubectl: most requests of a test are reads, and every kubectl is a process. */
function direct(): DirectApi {
  return openDirectApi(testCluster().kubeconfigPath);
}

/** The cluster that all tests of a run share. */
export function testCluster(): SharedCluster {
  return inject("testCluster");
}

/** An API server without controllers that some test files share: {@link openSecondCluster}. */
export function secondCluster(): Promise<LocalCluster> {
  return openSecondCluster(testCluster().secondClusterUrl);
}

/** Runs kubectl on the shared cluster as `admin`, and returns its output. */
export function kubectl(args: string | readonly string[], options?: KubectlOptions): Promise<string> {
  return kubectlFor(testCluster())(args, options);
}

/** Runs kubectl with `-o json`, and returns the object (a list has `items`). */
export async function kubectlJson<T = KubernetesObject>(
  args: string | readonly string[],
  options?: KubectlOptions,
): Promise<T> {
  const words = typeof args === "string" ? args.split(/\s+/) : args;
  const [verb, type = "", place, namespace = "", selects = "-l", selector] = words;
  const isPlainList = verb === "get" && place === "-n" && selects === "-l" && words.length !== 5;
  if (isPlainList && words.length <= 6 && !type.includes(",") && options === undefined)
    return await direct().list(type, { namespace, ...(selector !== undefined && { selector }) });
  return JSON.parse(await kubectl([...words, "-o", "json"], options)) as T;
}

/** Applies objects server-side, as the user `admin` and with a field manager of its own. @returns The objects as stored. */
export async function applyObjects(...objects: readonly object[]): Promise<KubernetesObject[]> {
  return await direct().apply(objects as readonly KubernetesObject[], "test");
}

/** Reads one object; undefined if it does not exist. `type` as in kubectl: `deployment`, `echoes.example.dev`. */
export async function readObject<T = KubernetesObject>(
  type: string,
  name: string,
  namespace?: string,
): Promise<T | undefined> {
  return await direct().get<T>(type, name, namespace);
}

export interface NamespaceOptions {
  /** Prefix of the name, which ends with random characters. */
  readonly prefix?: string;
  /** Registers the removal, if any. In a `beforeAll`, store it for an `afterAll`: a hook cannot add hooks. Default: after the test. */
  readonly onEnd?: (remove: () => Promise<void>) => void;
}

/**
 * Creates a namespace for one test, and returns its name. It is removed only if the cluster outlives the run: for a
 * deletion, the namespace controller sends two requests for each type of objects, and repeats them until all are deleted.
 */
export async function aNamespace({
  prefix = "test",
  onEnd = onTestFinished,
}: NamespaceOptions = {}): Promise<string> {
  const name = `${prefix}-${crypto.randomUUID().slice(0, 8)}`;
  if (testCluster().outlivesRun)
    onEnd(async () => {
      await direct().delete("namespace", name);
    });
  await applyObjects({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  return name;
}

/** The requests that the shared API server has answered, as a record of each user's requests. */
export async function auditEvents(query?: AuditQuery): Promise<AuditEvent[]> {
  const { auditLogPath } = testCluster();
  // A write is logged shortly after it is visible. Wait until a later request is in the log.
  const [since, name] = [new Date(), `mark-${crypto.randomUUID()}`];
  await direct().get("configmap", name, "default");
  await eventually(
    async () => {
      const events = await readAuditLog(auditLogPath, { namespace: "default", since });
      return events.some(({ objectRef }) => objectRef?.name === name);
    },
    { what: "the request is in the audit log", intervalMs: 10 },
  );
  return readAuditLog(auditLogPath, query);
}

/** Starts a cluster for one test, which may break it. It takes 4 to 5 s, and ends with the test. */
export async function aSeparateCluster(options: StartLocalClusterOptions = {}): Promise<LocalCluster> {
  const cluster = await startLocalCluster({ name: "separate", fsync: false, ...options });
  onTestFinished(async () => {
    await keepOperatorRequests(cluster.auditLogPath, testCluster());
    await cluster.stop();
  });
  return cluster;
}
