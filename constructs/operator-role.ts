import type { BoundKind } from "../crds/binding.ts";
import { Event, Namespace } from "../crds/core-kinds.ts";
import { look, type Need, own } from "./needed-verbs.ts";
import { impersonationRules, type ReleaseRights, releaseNeedsOf } from "./release-rights.ts";

/** A rule of a Role or ClusterRole; one group and one resource each, so that two versions are easy to compare. */
export interface PolicyRule {
  readonly apiGroups: readonly [string];
  readonly resources: readonly [string];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

export interface OperatorRulesOptions {
  /**
   * Whether namespaces are watched, so that nothing is created in a terminating one; only if all are watched. Default:
   * true.
   */
  readonly watchesNamespaces?: boolean;
  /** Permissions for Releases; undefined: the operator does not reconcile them. */
  readonly releases?: ReleaseRights | undefined;
}

export interface OperatorRules {
  /** Rules that the operator needs in each watched namespace. */
  readonly namespaced: readonly PolicyRule[];
  /** Rules for cluster-scoped objects. */
  readonly cluster: readonly PolicyRule[];
}

/**
 * The minimal permissions of the operator, derived from the kinds and their children.
 *
 * - a kind: watch it, get it, patch its status; update of `finalizers`, because API servers may require it for setting
 *   `blockOwnerDeletion`; patch of the kind itself only where it needs a finalizer, delete only where it retires its
 *   resources;
 * - its children: everything but `update` and `deletecollection`;
 * - objects that its status depends on: watch; patch of the subresource by which its chart adds to them, or of
 *   themselves where it sets fields of them;
 * - events: create and patch; namespaces: watch, if all are watched;
 * - a kind that acts as ServiceAccounts: impersonate them;
 * - Releases: the permissions in {@link ReleaseRights}.
 */
export function operatorRulesOf(
  kinds: readonly BoundKind[],
  { watchesNamespaces = true, releases }: OperatorRulesOptions = {},
): OperatorRules {
  const verbs = new Map<string, { need: Need; resource: string; verbs: Set<string> }>();
  const allow = (need: Need, given: readonly string[], subresource?: string): void => {
    const resource = subresource === undefined ? need.plural : `${need.plural}/${subresource}`;
    const rule = verbs.getOrInsertComputed(`${need.group}/${resource}`, () => ({
      need,
      resource,
      verbs: new Set(),
    }));
    for (const verb of given) rule.verbs.add(verb);
  };
  for (const { definition, children, related, retire } of kinds) {
    const ownsBeyondReach = definition.namespaced && children.some(({ namespaced }) => !namespaced);
    const setsFields = related.some(({ fields }) => fields !== undefined);
    allow(definition, ownsBeyondReach || setsFields ? [...look, "patch"] : look);
    allow(definition, ["patch"], "status");
    if (retire !== undefined) allow(definition, ["delete"]);
    if (children.length > 0) {
      // One read determines whether the resource still exists before a deleted object is recreated, or one is removed.
      allow(definition, ["get"]);
      allow(definition, ["update"], "finalizers");
    }
    for (const child of children) allow(child, own);
    for (const { kind, subresource, fields } of related) {
      allow(kind, look);
      if (subresource !== undefined || fields !== undefined) allow(kind, ["patch"], subresource);
    }
  }
  allow(Event, ["create", "patch"]);
  if (watchesNamespaces) allow(Namespace, ["list", "watch"]);
  for (const { need, verbs: given, subresource } of releaseNeedsOf(kinds, releases))
    allow(need, given, subresource);
  const rules = [...verbs].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, rule]) => rule);
  const pick = (namespaced: boolean) =>
    rules.filter(({ need }) => need.namespaced === namespaced).map(toRule);
  const named = impersonatedBy(kinds, releases);
  if (named === undefined) return { namespaced: pick(true), cluster: pick(false) };
  const impersonation = impersonationRules(named);
  return {
    namespaced: [...pick(true), ...impersonation.namespaced],
    cluster: [...pick(false), ...impersonation.cluster],
  };
}

/** Names of the ServiceAccounts that may be impersonated, empty for any; undefined: impersonation is not needed. */
function impersonatedBy(
  kinds: readonly BoundKind[],
  releases: ReleaseRights | undefined,
): readonly string[] | undefined {
  if (actsAsOthers(kinds)) return [];
  return releases?.impersonate === true ? releases.serviceAccounts : undefined;
}

/** Whether resources of one of these kinds may act as a ServiceAccount. */
export function actsAsOthers(kinds: readonly BoundKind[]): boolean {
  return kinds.some(({ policy }) => policy.actAs !== undefined);
}

/** Rules for a repository: the uid of kube-system identifies the cluster there. */
export const clusterIdRules: readonly PolicyRule[] = [
  { apiGroups: [""], resources: ["namespaces"], resourceNames: ["kube-system"], verbs: ["get"] },
];

/** Rules for leader election in the operator's own namespace: its one Lease. Creation cannot be limited to a name. */
export function leaseRules(name: string): readonly PolicyRule[] {
  const lease = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] } as const;
  return [
    { ...lease, verbs: ["create"] },
    { ...lease, resourceNames: [name], verbs: ["get", "update"] },
  ];
}

/** Name of the Secret with the key of records of an installation; as in operator/compose/compose-election.ts. */
export function recordKeyNameOf(installation: string): string {
  return `${installation}-records`;
}

/** Rules for the key of records in the operator's own namespace: a Secret that the chart creates without a key. */
export function recordKeyRules(name: string): readonly PolicyRule[] {
  return [{ apiGroups: [""], resources: ["secrets"], resourceNames: [name], verbs: ["get", "patch"] }];
}

const verbOrder = ["get", "list", "watch", "create", "update", "patch", "delete"];

function toRule({
  need,
  resource,
  verbs,
}: {
  need: Need;
  resource: string;
  verbs: ReadonlySet<string>;
}): PolicyRule {
  return {
    apiGroups: [need.group],
    resources: [resource],
    verbs: verbOrder.filter((verb) => verbs.has(verb)),
  };
}
