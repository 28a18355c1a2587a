import type { RelatedObjects } from "../../crds/binding.ts";
import { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from "../../crds/core-kinds.ts";
import type { KubernetesObject } from "../../crds/object.ts";
import type { Observed } from "../../crds/observed.ts";
import { APPROVAL_POLICY } from "../../crds/stage-names.ts";

const everyPipeline = "admission-policies";

/** Objects that a kind watches to determine whether the API server validates Approvals. */
export const approvalPolicyObjects: readonly RelatedObjects[] = [
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
].map((kind) => ({
  kind,
  selector: `${APPROVAL_POLICY.key}=${APPROVAL_POLICY.value}`,
  ownerKey: () => everyPipeline,
  soughtKey: () => everyPipeline,
}));

/**
 * Why the API server does not validate the Approvals of a namespace; undefined: it does, because a policy and its binding
 * reject invalid ones. If several installations have such a policy, one of them is enough. Pure.
 */
export function approvalPolicyGap(observed: Pick<Observed, "list">, namespace: string): string | undefined {
  const policies = observed.list(ValidatingAdmissionPolicy);
  const bindings = observed.list(ValidatingAdmissionPolicyBinding);
  const gaps = policies.map((policy) => gapOf(policy, { bindings, namespace }));
  if (gaps.includes(undefined)) return undefined;
  return gaps[0] ?? "the admission policy for Approvals is missing; install it again with fairlead install";
}

interface PolicySpec {
  readonly failurePolicy?: string;
  readonly matchConstraints?: {
    readonly namespaceSelector?: { readonly matchExpressions?: readonly NamespaceExpression[] };
  };
  readonly validations?: readonly unknown[];
}

interface NamespaceExpression {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

interface BindingSpec {
  readonly policyName?: string;
  readonly validationActions?: readonly string[];
  readonly matchResources?: object;
}

interface Place {
  readonly bindings: readonly KubernetesObject[];
  readonly namespace: string;
}

function gapOf(policy: KubernetesObject, { bindings, namespace }: Place): string | undefined {
  const { name } = policy.metadata;
  const { failurePolicy = "Fail", matchConstraints, validations = [] } = (policy["spec"] ?? {}) as PolicySpec;
  if (isLeaving(policy)) return `the admission policy ${name} is being deleted`;
  if (failurePolicy !== "Fail" || validations.length === 0)
    return `the admission policy ${name} does not reject every Approval that it cannot validate`;
  const selects = matchConstraints?.namespaceSelector?.matchExpressions ?? [];
  const isSelected = selects.every(
    ({ key, operator, values = [] }) =>
      key === "kubernetes.io/metadata.name" && operator === "In" && values.includes(namespace),
  );
  if (!isSelected) return `the admission policy ${name} does not apply to namespace "${namespace}"`;
  const own = bindings.filter(({ spec }) => (spec as BindingSpec | undefined)?.policyName === name);
  if (own.length === 0) return `the binding of the admission policy ${name} is missing`;
  // Ignore a binding that matches only some requests: Fairlead does not install one.
  const isDenying = own.some((binding) => {
    const { validationActions = [], matchResources } = (binding["spec"] ?? {}) as BindingSpec;
    return !isLeaving(binding) && validationActions.includes("Deny") && !isNarrowed(matchResources);
  });
  return isDenying ? undefined : `no binding of the admission policy ${name} rejects requests`;
}

function isLeaving({ metadata }: KubernetesObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Whether a binding has rules or selectors. The API server adds empty ones as defaults, which do not count. */
function isNarrowed(matchResources: object | undefined): boolean {
  return Object.entries(matchResources ?? {}).some(
    ([field, value]) => field !== "matchPolicy" && Object.keys((value as object | null) ?? {}).length > 0,
  );
}
