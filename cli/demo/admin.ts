import { App } from "cdk8s";
import { OperatorChart } from "../../charts/operator-chart.ts";
import { apiVersionOf, type KubernetesObject, type ObjectKind } from "../../crds/object.ts";
import { objectPath } from "../../operator/cluster/resource-path.ts";
import type { ApiTransport } from "../../operator/cluster/transport.ts";
import type { Manifest } from "../../synth/manifest.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";

const FIELD_MANAGER = "fairlead-cli";

/** Kinds that the demo applies beside custom resources. */
const adminKinds: readonly ObjectKind[] = [
  ["apiextensions.k8s.io", "CustomResourceDefinition", "customresourcedefinitions"],
  ["rbac.authorization.k8s.io", "ClusterRole", "clusterroles"],
  ["rbac.authorization.k8s.io", "ClusterRoleBinding", "clusterrolebindings"],
].map(([group = "", kind = "", plural = ""]) => ({ group, version: "v1", kind, plural, namespaced: false }));

export interface ApplyAsAdminOptions {
  readonly transport: ApiTransport;
  readonly kinds: readonly SynthesizableKind[];
}

/**
 * Applies an object server-side, as the user who runs the command.
 *
 * @throws Error with the API server's own words.
 */
export async function applyAsAdmin(
  object: KubernetesObject,
  { transport, kinds }: ApplyAsAdminOptions,
): Promise<KubernetesObject> {
  const known = [...adminKinds, ...kinds.map(({ definition }) => definition)];
  const kind = known.find((one) => one.kind === object.kind && apiVersionOf(one) === object.apiVersion);
  if (kind === undefined)
    throw new Error(`Cannot apply "${object.kind}": it is none of the kinds of Fairlead`);
  const { name, namespace = "default" } = object.metadata;
  const path = objectPath(kind, { name, namespace: kind.namespaced ? namespace : undefined });
  const { status, body } = await transport.send({
    method: "PATCH",
    path: `${path}?fieldManager=${FIELD_MANAGER}&force=true`,
    contentType: "application/apply-patch+yaml",
    body: JSON.stringify(object),
  });
  const answer = JSON.parse(body) as KubernetesObject & { readonly message?: string };
  if (status >= 300) throw new Error(`Cannot apply ${object.kind} "${name}": ${answer.message ?? status}`);
  return answer;
}

/** The rights of the operator, given to a group of users instead of a ServiceAccount. */
export function grantToGroup(kinds: readonly SynthesizableKind[], group: string): readonly Manifest[] {
  const chart = new OperatorChart(new App(), "operator", {
    kinds,
    values: { image: "local", leaderElection: false },
  });
  const manifests = chart.toJson() as readonly Manifest[];
  return manifests.flatMap((manifest): Manifest[] => {
    if (manifest.kind === "ClusterRole") return [manifest];
    if (manifest.kind !== "ClusterRoleBinding") return [];
    const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: group }];
    return [{ ...manifest, subjects }];
  });
}
