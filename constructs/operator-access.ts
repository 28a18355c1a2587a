import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import {
  clusterIdRules,
  leaseRules,
  type OperatorRules,
  type PolicyRule,
  recordKeyNameOf,
  recordKeyRules,
} from "./operator-role.ts";

export interface OperatorAccessProps {
  readonly name: string;
  readonly namespace: string;
  readonly rules: OperatorRules;
  /** Namespaces that the operator watches; empty: all. */
  readonly watchedNamespaces: readonly string[];
  /** Whether a leader is elected. */
  readonly electsLeader: boolean;
  /** Whether the uid of kube-system is read. */
  readonly namesCluster: boolean;
  /** Whether there are Releases, whose first records are sealed. */
  readonly sealsRecords: boolean;
}

const api = "rbac.authorization.k8s.io";

/** The operator's identity and permissions: a ServiceAccount, roles and bindings, and the Secret that it alone uses. */
export class OperatorAccess extends Construct {
  readonly #name: string;
  readonly #account: object;

  constructor(scope: Construct, id: string, props: OperatorAccessProps) {
    super(scope, id);
    const { name, namespace, rules, watchedNamespaces, namesCluster } = props;
    this.#name = name;
    this.#account = { kind: "ServiceAccount", name, namespace };
    new ApiObject(this, "service-account", {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name, namespace },
      automountServiceAccountToken: false,
    });
    if (watchedNamespaces.length === 0) {
      this.#grant(name, [...(namesCluster ? clusterIdRules : []), ...rules.cluster, ...rules.namespaced]);
    } else {
      for (const watched of watchedNamespaces) this.#grant(name, rules.namespaced, watched);
      if (rules.cluster.length > 0) this.#grant(`${name}-cluster`, rules.cluster);
      // A Role there is enough: the API server treats a namespace as an object in itself.
      if (namesCluster) this.#grant(`${name}-cluster-id`, clusterIdRules, "kube-system");
    }
    if (props.electsLeader) this.#grant(`${name}-leader-election`, leaseRules(name), namespace);
    if (props.sealsRecords) this.#addRecordKey(namespace);
  }

  /** The Secret has no key: the operator adds a random one, so that no file contains it. */
  #addRecordKey(namespace: string): void {
    const name = recordKeyNameOf(this.#name);
    const metadata = { name, namespace };
    new ApiObject(this, "record-key", { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque" });
    this.#grant(name, recordKeyRules(name), namespace);
  }

  /** A Role and its binding in a namespace; without a namespace, a ClusterRole and its binding. */
  #grant(name: string, rules: readonly PolicyRule[], namespace?: string): void {
    const prefix = namespace === undefined ? "Cluster" : "";
    const path = `${name.slice(this.#name.length + 1)}-${namespace ?? ""}`;
    const metadata = { name, ...(namespace !== undefined && { namespace }) };
    const apiVersion = `${api}/v1`;
    new ApiObject(this, `role-${path}`, { apiVersion, kind: `${prefix}Role`, metadata, rules });
    new ApiObject(this, `binding-${path}`, {
      apiVersion,
      kind: `${prefix}RoleBinding`,
      metadata,
      roleRef: { apiGroup: api, kind: `${prefix}Role`, name },
      subjects: [this.#account],
    });
  }
}
