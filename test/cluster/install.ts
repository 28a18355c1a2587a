import { App } from "cdk8s";
import { shippedKinds } from "../../charts/bindings-delivery.ts";
import { installChart } from "../../charts/install-chart.ts";
import type { OperatorValues } from "../../charts/values/operator-values.ts";
import type { BoundKind } from "../../crds/binding.ts";
import type { KubernetesObject } from "../../crds/object.ts";
import { eventually } from "./eventually.ts";
import type { TestCluster } from "./global-setup.ts";
import { kubectlFor } from "./kubectl.ts";

/** Names of the Secrets with the key of records: of an operator with the default name, and of a fenced one. */
export const recordKeyNames: readonly string[] = ["fairlead-records", "operator-records"];

/** The Secrets of the chart for the key of records, in a namespace. */
export function recordKeysIn(namespace: string): readonly KubernetesObject[] {
  return recordKeyNames.map((name) => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace },
    type: "Opaque",
  }));
}

/** The group of the user `operator`, who has no permissions by itself. */
const operators = { apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "fairlead-operators" };

export interface InstallOptions {
  /** Default: the shipped kinds. */
  readonly kinds?: readonly BoundKind[];
  /** Name of roles and bindings: kinds of a single test use another one. Default: `fairlead`. */
  readonly name?: string;
  /** More values of the installation, such as `releases`. */
  readonly values?: Omit<OperatorValues, "image" | "name">;
}

/**
 * Installs CRDs and permissions as in an installation, the permissions for the user `operator`, and waits until the CRDs
 * are served. Existing objects are not changed.
 */
export async function install(cluster: TestCluster, options: InstallOptions = {}): Promise<void> {
  const { kinds: installed = shippedKinds, name = "fairlead", values: more } = options;
  const kubectl = kubectlFor(cluster);
  const app = new App();
  // Tests use repositories, for which the uid of kube-system is read.
  const values = {
    image: "example.dev/fairlead:test",
    name,
    repository: { url: "file:///repository" },
    ...more,
  };
  installChart(app, { kinds: installed, values });
  const objects = app.charts
    .flatMap((chart) => chart.toJson() as KubernetesObject[])
    .filter(({ kind }) => kind === "CustomResourceDefinition" || kind === "ClusterRole")
    .concat(bindingOf(name), leaseRights(name));
  await kubectl("apply --server-side --force-conflicts --field-manager=install -f -", { input: objects });
  const crds = objects.filter(({ kind }) => kind === "CustomResourceDefinition");
  const names = crds.map(({ metadata }) => `crd/${metadata.name}`);
  await kubectl(["wait", "--for=condition=Established", "--timeout=180s", ...names]);
  // The API server's authorizer observes a new binding with a short delay.
  const mayList = () =>
    kubectl(["get", ...crds.slice(0, 1).map(({ metadata }) => metadata.name), "-A", "-o", "name"], {
      user: "operator",
    });
  await eventually(() => mayList().then(() => true), { what: "the operator's rights are in force" });
}

function bindingOf(name: string): KubernetesObject {
  const roleRef = { apiGroup: operators.apiGroup, kind: "ClusterRole", name };
  return { ...rbac("ClusterRoleBinding", `${name}-operators`), roleRef, subjects: [operators] };
}

/**
 * As the Roles of an installation, but in all namespaces, and for all Leases: every test elects its own leader, and has its own
 * key of records.
 */
function leaseRights(name: string): KubernetesObject[] {
  const roleRef = { apiGroup: operators.apiGroup, kind: "ClusterRole", name: `${name}-leases` };
  const rules = [
    { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create", "get", "update"] },
    { apiGroups: [""], resources: ["secrets"], resourceNames: recordKeyNames, verbs: ["get", "patch"] },
  ];
  return [
    { ...rbac("ClusterRole", `${name}-leases`), rules },
    { ...rbac("ClusterRoleBinding", `${name}-leases`), roleRef, subjects: [operators] },
  ];
}

function rbac(kind: string, name: string): KubernetesObject {
  return { apiVersion: "rbac.authorization.k8s.io/v1", kind, metadata: { name } };
}
