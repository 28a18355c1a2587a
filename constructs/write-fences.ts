import { Construct } from "constructs";
import type { BoundKind } from "../crds/binding.ts";
import { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from "../crds/core-kinds.ts";
import { LeadershipFence } from "./leadership-fence.ts";
import { operatorRulesOf, type PolicyRule } from "./operator-role.ts";
import { OwnershipFence } from "./ownership-fence.ts";

/** An installation, and which of the fences it has. */
export interface FencedInstallation {
  /** Name and namespace of the operator's ServiceAccount. */
  readonly name: string;
  readonly namespace: string;
  /** A leader is elected, by a Lease of the installation's name and namespace. */
  readonly ha: boolean;
  readonly policies: {
    /** The API server refuses changes of objects that are not a resource's own. */
    readonly ownership: boolean;
    /** The API server refuses what any instance but the leader writes. */
    readonly leadership: boolean;
  };
}

export interface WriteFencesProps extends FencedInstallation {
  readonly kinds: readonly BoundKind[];
}

/** The admission policies that fence an operator's writes in the API server; they look at its own requests only. */
export class WriteFences extends Construct {
  constructor(scope: Construct, id: string, props: WriteFencesProps) {
    super(scope, id);
    const { kinds, name, namespace } = props;
    const user = `system:serviceaccount:${namespace}:${name}`;
    const { ownership, leadership } = fencesOf(props);
    if (ownership !== undefined) new OwnershipFence(this, "ownership", { name: ownership, user, kinds });
    if (leadership !== undefined) {
      const rules = Object.values(operatorRulesOf(kinds)).flat();
      new LeadershipFence(this, "leadership", { name: leadership, user, rules, lease: { name, namespace } });
    }
  }
}

/** Names of an installation's policies, each of which is the name of its binding too: what `--fence` is given. */
export function fenceNamesOf(installation: FencedInstallation): readonly string[] {
  return Object.values(fencesOf(installation)).filter((name) => name !== undefined);
}

/** What the operator must be allowed to tell whether its fences are there. */
export function fenceRulesOf(installation: FencedInstallation): readonly PolicyRule[] {
  const resourceNames = fenceNamesOf(installation);
  if (resourceNames.length === 0) return [];
  return [ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding].map(({ group, plural }) => ({
    apiGroups: [group],
    resources: [plural],
    resourceNames,
    verbs: ["list"],
  }));
}

function fencesOf({ name, namespace, ha, policies }: FencedInstallation) {
  // Neither name nor namespace has a dot, so that no two installations have policies of the same name.
  const nameOf = (fence: string): string => `${name}.${namespace}.${fence}`;
  return {
    ownership: policies.ownership ? nameOf("ownership") : undefined,
    leadership: policies.leadership && ha ? nameOf("leadership") : undefined,
  };
}
