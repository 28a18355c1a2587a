import { App, Chart } from "cdk8s";
import { startLocalCluster } from "../../cli/local-cluster/local-cluster.ts";
import { fenceNamesOf, WriteFences } from "../../constructs/write-fences.ts";
import { Approval } from "../../crds/approval.ts";
import { customResourceDefinitionOf } from "../../crds/custom-resource-definition.ts";
import { Freeze } from "../../crds/freeze.ts";
import type { KubernetesObject } from "../../crds/object.ts";
import { Pipeline } from "../../crds/pipeline.ts";
import { Promotion } from "../../crds/promotion.ts";
import { Release } from "../../crds/release.ts";
import { eventually } from "./eventually.ts";
import { type Kubectl, kubectlFor } from "./kubectl.ts";

const rbac = "rbac.authorization.k8s.io";
const installation = {
  name: "operator",
  namespace: "ops",
  ha: true,
  policies: { ownership: false, leadership: false, stages: true, userDefaults: true },
  releases: { enabled: true },
} as const;

/** User names of the operator, and of an account that deploys from git. */
export const users = {
  operator: "system:serviceaccount:ops:operator",
  deployer: "system:serviceaccount:shop:deployer",
} as const;

export const namespace = "shop";

/**
 * A separate cluster with the kinds of pipelines, the policies of their permissions, and users who may write all of
 * them.
 */
export interface StageRightsScene {
  readonly kubectl: Kubectl;
  /** Kubeconfig of a user with all permissions. */
  readonly kubeconfigPath: string;
  /** kubectl as a user, in the namespace. */
  as(user: string, groups?: readonly string[]): Kubectl;
  /** Grants a user verbs on a stage, `shop.prod`; returns a function that revokes them. */
  grant(user: string, stage: string, ...verbs: readonly string[]): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

/** Creates it, and waits until the policies are in force. */
export async function aStageRightsScene(): Promise<StageRightsScene> {
  const local = await startLocalCluster({ name: "rights", fsync: false });
  const { kubectlPath = "kubectl" } = local;
  const kubectl = kubectlFor({ ...local, kubectlPath });
  const as =
    (user: string, groups: readonly string[] = []): Kubectl =>
    (args, options) => {
      const words = typeof args === "string" ? args.split(/\s+/) : args;
      const who = [
        `--as=${user}`,
        ...["system:authenticated", ...groups].map((group) => `--as-group=${group}`),
      ];
      return kubectl([...words, ...who, `--namespace=${namespace}`], options);
    };
  const definitions = [Approval, Freeze, Pipeline, Promotion, Release].map(customResourceDefinitionOf);
  const chart = new Chart(new App(), "fences");
  new WriteFences(chart, "fences", { ...installation, kinds: [] });
  const everybody = [{ apiGroup: rbac, kind: "Group", name: "system:authenticated" }];
  const rights: readonly KubernetesObject[] = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    { apiVersion: "v1", kind: "Namespace", metadata: { name: installation.namespace } },
    {
      ...aRbacObject("ClusterRole", "writers"),
      rules: [
        {
          apiGroups: [Release.group],
          resources: [Approval, Freeze, Pipeline, Promotion, Release].flatMap(({ plural }) => [
            plural,
            `${plural}/status`,
          ]),
          verbs: ["get", "list", "create", "update", "patch", "delete"],
        },
      ],
    },
    {
      ...aRbacObject("ClusterRoleBinding", "writers"),
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "writers" },
      subjects: everybody,
    },
  ];
  const objects = [...definitions, ...rights, ...(chart.toJson() as KubernetesObject[])];
  await kubectl("apply --server-side -f -", { input: objects });
  const names = definitions.map(({ metadata }) => `crd/${metadata.name}`);
  await kubectl(["wait", "--for=condition=Established", "--timeout=30s", ...names]);
  await untilInForce(as);
  let count = 0;
  return {
    kubectl,
    kubeconfigPath: local.kubeconfigPath,
    as,
    stop: () => local.stop(),
    async grant(user, stage, ...verbs) {
      count += 1;
      const name = `grant-${count}`;
      const role = aRbacObject("Role", name);
      const binding = aRbacObject("RoleBinding", name);
      const input = [
        {
          ...role,
          rules: [{ apiGroups: [Release.group], resources: ["stages"], resourceNames: [stage], verbs }],
        },
        {
          ...binding,
          roleRef: { apiGroup: rbac, kind: "Role", name },
          subjects: [{ apiGroup: rbac, kind: "User", name: user }],
        },
      ];
      await kubectl(["apply", "--server-side", "-n", namespace, "-f", "-"], { input });
      const can = (): Promise<boolean> => isAllowed(kubectl, { user, stage, verb: verbs[0] ?? "" });
      await eventually(can, { what: `${user} has the rights` });
      return async () => {
        await kubectl(["delete", "role,rolebinding", name, "-n", namespace]);
        await eventually(async () => !(await can()), { what: `${user} has lost the rights` });
      };
    },
  };
}

/** Queries the authorizer. `kubectl auth can-i` does not work: it looks up the group of a resource that no API serves. */
async function isAllowed(
  kubectl: Kubectl,
  { user, stage, verb }: { readonly user: string; readonly stage: string; readonly verb: string },
): Promise<boolean> {
  const resourceAttributes = { group: Release.group, resource: "stages", verb, namespace, name: stage };
  const input = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    spec: { user, groups: ["system:authenticated"], resourceAttributes },
  };
  const answer = JSON.parse(await kubectl("create -o json -f -", { input })) as {
    readonly status?: { readonly allowed?: boolean };
  };
  return answer.status?.allowed === true;
}

function aRbacObject(kind: string, name: string): KubernetesObject {
  return { apiVersion: `${rbac}/v1`, kind, metadata: { name } };
}

/** The API server applies a policy a second or two after its creation: each is tested with a request that it rejects. */
async function untilInForce(as: StageRightsScene["as"]): Promise<void> {
  const nobody = as("nobody");
  const refuses = async (input: object, says: RegExp): Promise<boolean> => {
    const answer = await nobody("create --dry-run=server -f -", { input }).catch(String);
    if (!says.test(answer)) throw new Error(answer);
    return true;
  };
  const spec = { pipeline: "shop", stage: "prod", revision: "1".repeat(40) };
  const apiVersion = "fairlead.dev/v1alpha1";
  const metadata = { name: "probe", namespace };
  const approval = { apiVersion, kind: "Approval", metadata, spec: { ...spec, digest: "a".repeat(32) } };
  const promotion = { apiVersion, kind: "Promotion", metadata, spec };
  const [approvals, promotions] = fenceNamesOf(installation);
  for (const [input, name] of [
    [approval, approvals],
    [promotion, promotions],
  ] as const)
    await eventually(() => refuses(input, /may not (approve|promote)/), { what: `${name} is in force` });
}
