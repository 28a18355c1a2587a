import { Construct } from "constructs";
import type { BoundKind } from "../crds/binding.ts";
import { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from "../crds/core-kinds.ts";
import { Release } from "../crds/release.ts";
import type { ResourceRule } from "./admission-policy.ts";
import { anyKind, exceptions } from "./fenced-kinds.ts";
import { LeadershipFence, writesOf } from "./leadership-fence.ts";
import { actsAsOthers, operatorRulesOf, type PolicyRule, recordKeyNameOf } from "./operator-role.ts";
import { OwnershipFence } from "./ownership-fence.ts";
import { StagePolicies } from "./stage-policies.ts";
import { StatusFence } from "./status-fence.ts";
import { UserDefaults } from "./user-defaults.ts";

/** An installation, and its fences. */
export interface FencedInstallation {
  /** Name and namespace of the operator's ServiceAccount. */
  readonly name: string;
  readonly namespace: string;
  /** Whether a leader is elected, by a Lease with the installation's name and namespace. */
  readonly ha: boolean;
  readonly policies: {
    /** The API server rejects changes of objects that do not belong to a resource. */
    readonly ownership: boolean;
    /** The API server rejects writes of all instances except the leader. */
    readonly leadership: boolean;
    /** The API server rejects writes of all other users to the status of a Release. Default: it does not. */
    readonly releaseStatus?: boolean | undefined;
    /** The API server requires permissions on stages of Pipelines; see {@link StagePolicies}. Default: it does not. */
    readonly stages?: boolean | undefined;
    /** The API server fills in the creator of an Approval, a Promotion or a Freeze. Default: it does not. */
    readonly userDefaults?: boolean | undefined;
  };
  /** Namespaces that the operator watches; empty: all. */
  readonly watchedNamespaces?: readonly string[] | undefined;
  /** Whether there are Releases, which have objects of any kind and may impersonate others. Default: there are none. */
  readonly releases?: { readonly enabled: boolean } | undefined;
}

export interface WriteFencesProps extends FencedInstallation {
  readonly kinds: readonly BoundKind[];
}

/** As in synth/manifest.ts; this folder does not import synth. */
const SET_LABEL = "fairlead.dev/set";

/** The admission policies that fence an operator's writes in the API server, and the status that only it may write. */
export class WriteFences extends Construct {
  constructor(scope: Construct, id: string, props: WriteFencesProps) {
    super(scope, id);
    const { kinds, name, namespace } = props;
    const hasReleases = props.releases?.enabled === true;
    const lease = { name, namespace };
    const subject = {
      user: `system:serviceaccount:${namespace}:${name}`,
      // Also without a Lease: its name is that of the installation.
      ...((hasReleases || actsAsOthers(kinds)) && { impersonates: lease }),
    };
    const { ownership, leadership, releaseLeadership, releaseStatus, stages } = fencesOf(props);
    const namespaces = [...new Set(props.watchedNamespaces)];
    if (ownership !== undefined) {
      const recordKey = { namespace, name: recordKeyNameOf(name) };
      const releases = hasReleases ? { lease: name, recordKey } : undefined;
      new OwnershipFence(this, "ownership", { name: ownership, subject, kinds, releases });
    }
    if (leadership !== undefined) {
      const rules = writesOf(Object.values(operatorRulesOf(kinds)).flat());
      const resourceRules = hasReleases ? [...rules, ...writesOfReleases] : rules;
      new LeadershipFence(this, "leadership", {
        name: leadership,
        subject,
        writes: { resourceRules },
        lease,
      });
    }
    if (releaseLeadership !== undefined) {
      const exclude = exceptions(name);
      // A policy with a parameter costs the API server 0.8 ms for each write that its rules match, by any user.
      const writes = { resourceRules: [anyKind(["CREATE", "UPDATE", "DELETE"])], exclude, label: SET_LABEL };
      new LeadershipFence(this, "release-leadership", { name: releaseLeadership, subject, writes, lease });
    }
    if (releaseStatus !== undefined) {
      // The operator writes the status as itself, never as the account of the Release.
      new StatusFence(this, "release-status", {
        name: releaseStatus,
        subject: { user: subject.user },
        namespaces,
      });
    }
    // The operator creates Promotions and pins Releases as itself, too.
    if (stages !== undefined)
      new StagePolicies(this, "stages", { names: stages, subject: { user: subject.user }, namespaces });
    if (stages !== undefined && props.policies.userDefaults === true)
      new UserDefaults(this, "user-defaults", { name: `${name}.${namespace}.user-defaults`, namespaces });
  }
}

/** Rules for a Release itself: its status, and the metadata that makes it an ApplySet and delays its deletion. */
const writesOfReleases: readonly ResourceRule[] = [Release.plural, `${Release.plural}/status`].map(
  (resource) => ({
    apiGroups: [Release.group],
    apiVersions: ["*"],
    resources: [resource],
    operations: ["UPDATE"],
  }),
);

/** Names of an installation's policies, each of which is also the name of its binding: the values of `--fence`. */
export function fenceNamesOf(installation: FencedInstallation): readonly string[] {
  const { stages, ...fences } = fencesOf(installation);
  const names: readonly (string | undefined)[] = [...Object.values(fences), ...Object.values(stages ?? {})];
  return names.filter((name) => name !== undefined);
}

/** Rules for checking whether the fences are installed. */
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

function fencesOf({ name, namespace, ha, policies, releases }: FencedInstallation) {
  // Neither name nor namespace has a dot, so that no two installations have policies of the same name.
  const nameOf = (fence: string): string => `${name}.${namespace}.${fence}`;
  return {
    ownership: policies.ownership ? nameOf("ownership") : undefined,
    leadership: policies.leadership && ha ? nameOf("leadership") : undefined,
    // Separate policies, because one matches only objects with the operator's label, and the other statuses of objects
    // without it.
    releaseLeadership:
      policies.leadership && ha && releases?.enabled === true ? nameOf("release-leadership") : undefined,
    releaseStatus:
      policies.releaseStatus === true && releases?.enabled === true ? nameOf("release-status") : undefined,
    stages:
      policies.stages === true && releases?.enabled === true
        ? {
            approvals: nameOf("approvals"),
            promotions: nameOf("promotions"),
            pins: nameOf("pins"),
            pipelines: nameOf("pipelines"),
            pipelineStatus: nameOf("pipeline-status"),
            deletions: nameOf("deletions"),
          }
        : undefined,
  };
}
