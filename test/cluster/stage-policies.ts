import { App, Chart } from "cdk8s";
import type { LocalCluster } from "../../cli/local-cluster/local-cluster.ts";
import { WriteFences } from "../../constructs/write-fences.ts";
import { Approval } from "../../crds/approval.ts";
import { customResourceDefinitionOf } from "../../crds/custom-resource-definition.ts";
import { Freeze } from "../../crds/freeze.ts";
import type { KubernetesObject } from "../../crds/object.ts";
import { Pipeline } from "../../crds/pipeline.ts";
import { Promotion } from "../../crds/promotion.ts";
import { Release } from "../../crds/release.ts";
import { kubectlFor } from "./kubectl.ts";

/** The installation whose policies are those of the second cluster. */
export const installation = {
  name: "operator",
  namespace: "ops",
  ha: true,
  policies: { ownership: false, leadership: false, stages: true, userDefaults: true },
  releases: { enabled: true },
} as const;

const rbac = "rbac.authorization.k8s.io";

/** Installs the kinds of pipelines, the policies for their permissions in all namespaces, and users who may write all of them. */
export async function installStagePolicies(cluster: LocalCluster): Promise<void> {
  const { kubectlPath = "kubectl" } = cluster;
  const kubectl = kubectlFor({ ...cluster, kubectlPath });
  const kinds = [Approval, Freeze, Pipeline, Promotion, Release];
  const definitions = kinds.map(customResourceDefinitionOf);
  const chart = new Chart(new App(), "fences");
  new WriteFences(chart, "fences", { ...installation, kinds: [] });
  const rights: readonly KubernetesObject[] = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: installation.namespace } },
    {
      ...aRbacObject("ClusterRole", "writers"),
      rules: [
        {
          apiGroups: [Release.group],
          resources: kinds.flatMap(({ plural }) => [plural, `${plural}/status`]),
          verbs: ["get", "list", "create", "update", "patch", "delete", "deletecollection"],
        },
      ],
    },
    {
      ...aRbacObject("ClusterRoleBinding", "writers"),
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "writers" },
      subjects: [{ apiGroup: rbac, kind: "Group", name: "system:authenticated" }],
    },
  ];
  const objects = [...definitions, ...rights, ...(chart.toJson() as KubernetesObject[])];
  await kubectl("apply --server-side -f -", { input: objects });
  const names = definitions.map(({ metadata }) => `crd/${metadata.name}`);
  await kubectl(["wait", "--for=condition=Established", "--timeout=180s", ...names]);
}

/** An object of RBAC without its content. */
export function aRbacObject(kind: string, name: string): KubernetesObject {
  return { apiVersion: `${rbac}/v1`, kind, metadata: { name } };
}
