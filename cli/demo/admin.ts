import { ApiObject, App, Chart } from "cdk8s";
import { OperatorChart } from "../../charts/operator-chart.ts";
import { StagePolicies } from "../../constructs/stage-policies.ts";
import { UserDefaults } from "../../constructs/user-defaults.ts";
import type { BoundKind, DeclaredKind } from "../../crds/binding.ts";
import { apiVersionOf, type KubernetesObject, type ObjectKind } from "../../crds/object.ts";
import { objectPath } from "../../operator/cluster/resource-path.ts";
import type { ApiRequest, ApiTransport } from "../../operator/cluster/transport.ts";
import type { Manifest } from "../../synth/manifest.ts";

const FIELD_MANAGER = "fairlead-cli";

/** Kinds that the demo applies in addition to custom resources. */
const adminKinds: readonly ObjectKind[] = [
  ["apiextensions.k8s.io", "CustomResourceDefinition", "customresourcedefinitions"],
  ["rbac.authorization.k8s.io", "ClusterRole", "clusterroles"],
  ["rbac.authorization.k8s.io", "ClusterRoleBinding", "clusterrolebindings"],
  ["admissionregistration.k8s.io", "ValidatingAdmissionPolicy", "validatingadmissionpolicies"],
  ["admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings"],
  ["admissionregistration.k8s.io", "MutatingAdmissionPolicy", "mutatingadmissionpolicies"],
  ["admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings"],
].map(([group = "", kind = "", plural = ""]) => ({ group, version: "v1", kind, plural, namespaced: false }));

export interface AdminOptions {
  readonly transport: ApiTransport;
  readonly kinds: readonly Pick<DeclaredKind, "definition">[];
}

/** The API server rejected a request; the message contains its own message. */
export class RequestRefusedError extends Error {
  override readonly name = "RequestRefusedError";
  /** HTTP status. */
  readonly status: number;

  constructor(what: string, status: number) {
    super(what);
    this.status = status;
  }
}

/**
 * Applies an object server-side, as the user who runs the command.
 *
 * @throws RequestRefusedError, or ConnectionError without a response.
 */
export async function applyAsAdmin(object: KubernetesObject, options: AdminOptions): Promise<void> {
  const answer = await send(object, options, {
    method: "PATCH",
    query: `?fieldManager=${FIELD_MANAGER}&force=true`,
    contentType: "application/apply-patch+yaml",
    body: JSON.stringify(object),
  });
  // Before Kubernetes 1.36 the API server does not serve it, and users name themselves.
  if (answer.status === 404 && object.kind.startsWith("MutatingAdmissionPolicy")) return;
  if (answer.status >= 300) throw refused("apply", object, answer);
}

/** Whether an object with this name exists; false also if its kind is not served. */
export async function existsForAdmin(object: KubernetesObject, options: AdminOptions): Promise<boolean> {
  const answer = await send(object, options, { method: "GET" });
  if (answer.status >= 300 && answer.status !== 404) throw refused("read", object, answer);
  return answer.status !== 404;
}

/** Deletes an object and, in the background, the objects that it owns. It is not an error if it is deleted already. */
export async function deleteAsAdmin(object: KubernetesObject, options: AdminOptions): Promise<void> {
  const body = JSON.stringify({ propagationPolicy: "Background" });
  const answer = await send(object, options, { method: "DELETE", body });
  if (answer.status >= 300 && answer.status !== 404) throw refused("delete", object, answer);
}

type Request = Pick<ApiRequest, "method" | "contentType" | "body"> & { readonly query?: string };

interface Answer {
  readonly status: number;
  /** The server's message in a response. */
  readonly said: string;
}

async function send(
  { kind: name, apiVersion, metadata }: KubernetesObject,
  { transport, kinds }: AdminOptions,
  { query = "", ...request }: Request,
): Promise<Answer> {
  const known = [...adminKinds, ...kinds.map(({ definition }) => definition)];
  const kind = known.find((one) => one.kind === name && apiVersionOf(one) === apiVersion);
  if (kind === undefined) throw new Error(`Cannot apply "${name}": it is not one of Fairlead's kinds`);
  const { namespace = "default" } = metadata;
  const path = objectPath(kind, { name: metadata.name, namespace: kind.namespaced ? namespace : undefined });
  const { status, body } = await transport.send({ ...request, path: `${path}${query}` });
  return { status, said: messageIn(body) ?? `the server answered ${status}` };
}

function messageIn(body: string): string | undefined {
  try {
    return (JSON.parse(body) as { readonly message?: string }).message;
  } catch {
    // The body is a proxy's page.
    return undefined;
  }
}

function refused(verb: string, { kind, metadata }: KubernetesObject, { status, said }: Answer): Error {
  return new RequestRefusedError(`Cannot ${verb} ${kind} "${metadata.name}": ${said}`, status);
}

/** The permissions of the operator, bound to a group of users instead of a ServiceAccount. */
export function grantToGroup(kinds: readonly BoundKind[], group: string): readonly Manifest[] {
  const chart = new OperatorChart(new App(), "operator", {
    kinds,
    values: {
      image: "local",
      ha: false,
      repository: { url: "file:///demo" },
      // Permissions for any kind that a user deploys in the demo, without a ServiceAccount.
      releases: { requireServiceAccount: false, kinds: [{ group: "*", resource: "*" }] },
    },
  });
  const manifests = chart.toJson() as readonly Manifest[];
  return manifests.flatMap((manifest): Manifest[] => {
    if (manifest.kind === "ClusterRole") return [manifest];
    if (manifest.kind !== "ClusterRoleBinding") return [];
    const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: group }];
    return [{ ...manifest, subjects }];
  });
}

/**
 * Additional permissions for the delivery of the demo: the group may grant permissions that it does not have, because
 * accounts of stages get some, and the API server validates approvers.
 *
 * @param user The operator, which alone may write the status of Promotions.
 */
export function deliveryOf({
  group,
  user,
}: {
  readonly group: string;
  readonly user: string;
}): readonly Manifest[] {
  const chart = new Chart(new App(), "delivery");
  const api = "rbac.authorization.k8s.io";
  const metadata = { name: "fairlead-demo-delivery" };
  new ApiObject(chart, "role", {
    apiVersion: `${api}/v1`,
    kind: "ClusterRole",
    metadata,
    rules: [{ apiGroups: [api], resources: ["roles", "clusterroles"], verbs: ["bind", "escalate"] }],
  });
  new ApiObject(chart, "binding", {
    apiVersion: `${api}/v1`,
    kind: "ClusterRoleBinding",
    metadata,
    roleRef: { apiGroup: api, kind: "ClusterRole", name: metadata.name },
    subjects: [{ apiGroup: api, kind: "Group", name: group }],
  });
  const names = {
    approvals: "fairlead.demo.approvals",
    promotions: "fairlead.demo.promotions",
    pins: "fairlead.demo.pins",
    pipelines: "fairlead.demo.pipelines",
    pipelineStatus: "fairlead.demo.pipeline-status",
    deletions: "fairlead.demo.deletions",
  };
  new StagePolicies(chart, "policies", { names, subject: { user }, namespaces: [] });
  new UserDefaults(chart, "user-defaults", { name: "fairlead.demo.user-defaults", namespaces: [] });
  return chart.toJson() as readonly Manifest[];
}
