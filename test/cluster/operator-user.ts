import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { parse, stringify } from "yaml";
import type { AuditEvent } from "./audit-log.ts";
import { applyObjects, auditEvents, kubectl, testCluster } from "./fixture.ts";
import { recordKeyNames } from "./install.ts";
import { aFolder } from "./operator.ts";

/** The user of a test's operator, whose requests are identifiable in the audit log. */
export interface OperatorUser {
  readonly kubeconfigPath: string;
  /**
   * The requests of this user to the API server, since a time (default: all). A watch is in the log once it has ended.
   */
  requests(since?: Date): Promise<AuditEvent[]>;
}

const group = "rbac.authorization.k8s.io";

/** The user `operator`, which tests share: its requests are those about objects of one namespace. */
export function sharedOperatorUser(namespace: string): OperatorUser {
  const made = new Date();
  return {
    kubeconfigPath: testCluster().operatorKubeconfigPath,
    requests: (since = made) => auditEvents({ user: "operator", namespace, since }),
  };
}

/** Creates a service account with the permissions of `install()` under this name, like that of an operator in a pod. */
export async function anOperatorUser(
  namespace: string,
  { rights = "fairlead", name = "operator" } = {},
): Promise<OperatorUser> {
  const made = new Date();
  await kubectl(["create", "serviceaccount", name, "-n", namespace]);
  const bindings = [rights, `${rights}-leases`].map((role) => ({
    apiVersion: `${group}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: `${namespace}-${name}-${role}` },
    roleRef: { apiGroup: group, kind: "ClusterRole", name: role },
    subjects: [{ kind: "ServiceAccount", name, namespace }],
  }));
  const names = bindings.map(({ metadata }) => metadata.name);
  onTestFinished(async () => void (await kubectl(["delete", "clusterrolebinding", ...names])));
  await applyObjects(...bindings);
  const token = (await kubectl(["create", "token", name, "-n", namespace, "--duration=2h"])).trim();
  const config = parse(readFileSync(testCluster().operatorKubeconfigPath, "utf8"));
  config.users[0].user = { token };
  const kubeconfigPath = join(await aFolder(), "kubeconfig");
  writeFileSync(kubeconfigPath, stringify(config), { mode: 0o600 });
  const user = `system:serviceaccount:${namespace}:${name}`;
  return {
    kubeconfigPath,
    requests: (since = made) => auditEvents({ user, since }),
  };
}

/** `patch configmaps web 200`: a request in one line. */
export function lineOf({ verb, requestURI, objectRef, responseStatus }: AuditEvent): string {
  const { resource, subresource, name = "" } = objectRef ?? {};
  if (resource === undefined) return `${verb} ${requestURI}`;
  return `${verb} ${resource}${subresource ? `/${subresource}` : ""} ${name} ${responseStatus?.code}`;
}

/** Whether a request changes something. */
export function isWrite({ verb }: AuditEvent): boolean {
  return !["get", "list", "watch"].includes(verb);
}

/** Whether a request changes something other than events, Leases and the key of records. */
export function isWork(request: AuditEvent): boolean {
  const { resource = "", name } = request.objectRef ?? {};
  return isWrite(request) && !["events", "leases"].includes(resource) && !recordKeyNames.includes(name ?? "");
}
