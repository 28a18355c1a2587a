import { fenceNamesOf } from "../../constructs/write-fences.ts";
import { Release } from "../../crds/release.ts";
import { eventually } from "./eventually.ts";
import { secondCluster } from "./fixture.ts";
import { type Kubectl, kubectlFor } from "./kubectl.ts";
import { aRbacObject, installation } from "./stage-policies.ts";

const rbac = "rbac.authorization.k8s.io";

/** User names of the operator, and of an account that deploys from git. */
export const users = {
  operator: "system:serviceaccount:ops:operator",
  deployer: "system:serviceaccount:shop:deployer",
} as const;

/** A namespace of the second cluster, and users who may write all kinds of pipelines. */
export interface StageRightsFixture {
  readonly namespace: string;
  readonly kubectl: Kubectl;
  /** Kubeconfig of a user with all permissions. */
  readonly kubeconfigPath: string;
  /** kubectl as a user, in the namespace. */
  as(user: string, groups?: readonly string[]): Kubectl;
  /** Grants a user verbs on a stage, `shop.prod`; returns a function that revokes them. */
  grant(user: string, stage: string, ...verbs: readonly string[]): Promise<() => Promise<void>>;
}

/** Creates the fixture, and waits until the policies are in force. */
export async function aStageRightsFixture(): Promise<StageRightsFixture> {
  const cluster = await secondCluster();
  const { kubeconfigPath, kubectlPath = "kubectl" } = cluster;
  const kubectl = kubectlFor({ ...cluster, kubectlPath });
  const namespace = `shop-${crypto.randomUUID().slice(0, 8)}`;
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
  await kubectl(["create", "namespace", namespace]);
  await untilInForce(as, namespace);
  let count = 0;
  return {
    namespace,
    kubectl,
    kubeconfigPath,
    as,
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
      const can = (): Promise<boolean> =>
        isAllowed(kubectl, { namespace, user, stage, verb: verbs[0] ?? "" });
      await eventually(can, { what: `${user} has the rights` });
      return async () => {
        await kubectl(["delete", "role,rolebinding", name, "-n", namespace]);
        await eventually(async () => !(await can()), { what: `${user} has lost the rights` });
      };
    },
  };
}

/** Queries the authorizer. `kubectl auth can-i` does not work, because no API serves the resource. */
async function isAllowed(
  kubectl: Kubectl,
  {
    namespace,
    user,
    stage,
    verb,
  }: { readonly namespace: string; readonly user: string; readonly stage: string; readonly verb: string },
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

/** Waits until each policy rejects a request. The API server applies a policy a second or two after its creation. */
async function untilInForce(as: StageRightsFixture["as"], namespace: string): Promise<void> {
  const withoutPermissions = as("nobody");
  const refuses = async (input: object, says: RegExp): Promise<boolean> => {
    const answer = await withoutPermissions("create --dry-run=server -f -", { input }).catch(String);
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
