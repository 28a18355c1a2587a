import { Construct } from "constructs";
import type { BoundKind } from "../crds/binding.ts";
import { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from "../crds/core-kinds.ts";
import { LeadershipFence } from "./leadership-fence.ts";
import { operatorRulesOf, type PolicyRule } from "./operator-role.ts";
import { OwnershipFence } from "./ownership-fence.ts";
import type { ReleaseRights } from "./release-rights.ts";

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
  /** What Releases are allowed; undefined: the operator knows none. */
  readonly releases?: ReleaseRights | undefined;
}

/** The admission policies that fence an operator's writes in the API server; they look at its own requests only. */
export class WriteFences extends Construct {
  constructor(scope: Construct, id: string, props: WriteFencesProps) {
    super(scope, id);
    const { kinds, releases, name, namespace } = props;
    const lease = { name, namespace };
    const subject = {
      user: `system:serviceaccount:${namespace}:${name}`,
      // Also where there is no Lease: its name is that of the installation.
      ...(releases && { impersonates: lease }),
    };
    const { ownership, leadership } = fencesOf(props);
    if (ownership !== undefined) {
      const any = releases && { lease: name };
      new OwnershipFence(this, "ownership", { name: ownership, subject, kinds, releases: any });
    }
    if (leadership !== undefined) {
      const rules = Object.values(operatorRulesOf(kinds, { releases })).flat();
      const hasReleases = releases !== undefined;
      new LeadershipFence(this, "leadership", { name: leadership, subject, hasReleases, rules, lease });
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
