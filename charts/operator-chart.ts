import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import { CREDENTIALS_FOLDER, OperatorDeployment } from "../constructs/operator-deployment.ts";
import { leaseRules, operatorRulesOf, type PolicyRule } from "../constructs/operator-role.ts";
import type { BoundKind } from "../crds/binding.ts";
import { standardLabels } from "../crds/names.ts";

/** What may be chosen when the operator is installed. */
export interface OperatorValues {
  /** Container image of the operator, with a tag or digest. */
  readonly image: string;
  /** Name of everything that is installed, and of the Lease. Default: `fairlead`. */
  readonly name?: string;
  /** Namespace of the operator, which is installed too. Default: `fairlead-system`. */
  readonly namespace?: string;
  /** Pods of which one leads and the others stand by. Default: 2. */
  readonly replicas?: number;
  /** Elect a leader; without it there must not be more than one pod. Default: true. */
  readonly leaderElection?: boolean;
  /** The git repository that manifests go to. Default: none. */
  readonly repository?: {
    readonly url: string;
    readonly branch?: string;
    /** Folder in the repository. */
    readonly path?: string;
    /** Secret in the operator's namespace with username and password, bearerToken, or identity and known_hosts. */
    readonly credentialsSecret?: string;
  };
  /** Namespaces to watch; the operator has no rights in any other. Default: all. */
  readonly watchedNamespaces?: readonly string[];
  /** Default: `info`. */
  readonly logLevel?: "debug" | "info" | "warn" | "error";
  /** Resource requirements of the operator's container. */
  readonly resources?: object;
}

export interface OperatorChartProps {
  /** The kinds that the operator is to reconcile: its rights follow from them. */
  readonly kinds: readonly BoundKind[];
  readonly values: OperatorValues;
}

const defaultResources = { requests: { cpu: "100m", memory: "192Mi" }, limits: { memory: "512Mi" } };

/**
 * Everything that installs the operator, apart from the CRDs.
 *
 * @throws {RangeError} if more than one pod should run without an elected leader.
 */
export class OperatorChart extends Chart {
  constructor(scope: Construct, id: string, { kinds, values }: OperatorChartProps) {
    const { name = "fairlead", namespace = "fairlead-system", leaderElection = true } = values;
    const { replicas = leaderElection ? 2 : 1, watchedNamespaces = [] } = values;
    if (replicas > 1 && !leaderElection) {
      throw new RangeError(
        `Cannot run ${replicas} replicas without leader election: they would undo each other's work`,
      );
    }
    const selector = { [standardLabels.name]: "fairlead", [standardLabels.instance]: name };
    super(scope, id, { labels: selector });

    new ApiObject(this, "namespace", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    const account = { kind: "ServiceAccount", name, namespace };
    new ApiObject(this, "service-account", {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name, namespace },
      automountServiceAccountToken: true,
    });
    const rules = operatorRulesOf(kinds);
    const bind = (
      roleId: string,
      roleName: string,
      granted: readonly PolicyRule[],
      places: readonly string[],
    ) => this.#grant({ id: roleId, name: roleName, rules: granted, places, account });
    if (watchedNamespaces.length === 0) bind("role", name, [...rules.cluster, ...rules.namespaced], []);
    else {
      bind("role", name, rules.namespaced, watchedNamespaces);
      bind("cluster-role", `${name}-cluster`, rules.cluster, []);
    }
    if (leaderElection) this.#grantLease(name, namespace, account);

    new OperatorDeployment(this, "deployment", {
      name,
      namespace,
      image: values.image,
      replicas,
      mayOverlap: leaderElection,
      serviceAccount: name,
      selector,
      options: optionsOf({ ...values, name, namespace, leaderElection, watchedNamespaces }),
      resources: values.resources ?? defaultResources,
      ...(values.repository?.credentialsSecret !== undefined && {
        credentialsSecret: values.repository.credentialsSecret,
      }),
    });
  }

  /** A ClusterRole, bound in some namespaces or, where none are named, in the whole cluster. */
  #grant({ id, name, rules, places, account }: Grant): void {
    new ApiObject(this, id, { ...rbac("ClusterRole"), metadata: { name }, rules });
    const binding = { roleRef: roleRef("ClusterRole", name), subjects: [account] };
    if (places.length === 0) {
      new ApiObject(this, `${id}-binding`, { ...rbac("ClusterRoleBinding"), metadata: { name }, ...binding });
    }
    for (const namespace of places) {
      const metadata = { name, namespace };
      new ApiObject(this, `${id}-binding-${namespace}`, { ...rbac("RoleBinding"), metadata, ...binding });
    }
  }

  #grantLease(name: string, namespace: string, account: object): void {
    const metadata = { name: `${name}-leader-election`, namespace };
    new ApiObject(this, "lease-role", { ...rbac("Role"), metadata, rules: leaseRules(name) });
    new ApiObject(this, "lease-role-binding", {
      ...rbac("RoleBinding"),
      metadata,
      roleRef: roleRef("Role", metadata.name),
      subjects: [account],
    });
  }
}

interface Grant {
  readonly id: string;
  readonly name: string;
  readonly rules: readonly PolicyRule[];
  readonly places: readonly string[];
  readonly account: object;
}

type Chosen = OperatorValues &
  Required<Pick<OperatorValues, "name" | "namespace" | "leaderElection" | "watchedNamespaces">>;

/** The options of `fairlead run` that say the same as the values. */
function optionsOf(values: Chosen): readonly string[] {
  const { name, namespace, leaderElection, repository, watchedNamespaces, logLevel } = values;
  return [
    ...(leaderElection
      ? ["--leader-elect=true", `--leader-elect-namespace=${namespace}`, `--leader-elect-id=${name}`]
      : []),
    ...(repository === undefined ? [] : [`--repository=${repository.url}`]),
    ...(repository?.branch === undefined ? [] : [`--repository-branch=${repository.branch}`]),
    ...(repository?.path === undefined ? [] : [`--repository-path=${repository.path}`]),
    ...(repository?.credentialsSecret === undefined
      ? []
      : [`--repository-credentials=${CREDENTIALS_FOLDER}`]),
    ...watchedNamespaces.map((watched) => `--namespace=${watched}`),
    ...(logLevel === undefined ? [] : [`--log-level=${logLevel}`]),
  ];
}

function rbac(kind: string): { readonly apiVersion: string; readonly kind: string } {
  return { apiVersion: "rbac.authorization.k8s.io/v1", kind };
}

function roleRef(kind: string, name: string): object {
  return { apiGroup: "rbac.authorization.k8s.io", kind, name };
}
