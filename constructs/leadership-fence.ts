import type { Construct } from "constructs";
import { Event, Lease } from "../crds/core-kinds.ts";
import { apiVersionOf } from "../crds/object.ts";
import {
  AdmissionPolicy,
  type AdmissionPolicyProps,
  celText,
  claimOf,
  holderClaims,
  type Operation,
  type ResourceRule,
  type Subject,
} from "./admission-policy.ts";
import type { PolicyRule } from "./operator-role.ts";

export interface LeadershipFenceProps {
  /** Name of policy and binding. */
  readonly name: string;
  readonly subject: Subject;
  /** Objects that only the leader may write. */
  readonly writes: Pick<AdmissionPolicyProps, "resourceRules" | "exclude" | "label">;
  /** The Lease for which the operator's instances compete. */
  readonly lease: { readonly name: string; readonly namespace: string };
}

/** Extra field of a token that contains the name of its pod. */
const podName = "authentication.kubernetes.io/pod-name";

/**
 * Only the instance whose pod holds the Lease may write. The pod's name is in the token, so an instance that lost the
 * lease, is disconnected or was paused cannot claim to be another one; the API server checks this at the moment of the
 * write. The holder is the pod's name, or the pod's name with a suffix after `_`.
 *
 * Under impersonation the token belongs to another account, so the request itself contains the pod's name: an instance
 * that does not know that it lost the lease still sends its own name.
 */
export class LeadershipFence extends AdmissionPolicy {
  constructor(scope: Construct, id: string, props: LeadershipFenceProps) {
    const { name, subject, writes, lease } = props;
    super(scope, id, {
      name,
      subject,
      ...writes,
      variables: {
        holder: "params.?spec.?holderIdentity.orValue('')",
        pod: podOf(subject),
      },
      validations: [
        {
          // A pod's name has no underscore.
          expression: "variables.holder != '' && variables.holder.split('_')[0] == variables.pod",
          message: [
            "'the lease is held by ' + (variables.holder == '' ? 'no instance' : variables.holder)",
            "+ ', and this request comes from ' + (variables.pod == '' ? 'no pod' : variables.pod)",
          ].join(" "),
        },
      ],
      parameter: { apiVersion: apiVersionOf(Lease), kind: Lease.kind, ...lease },
    });
  }
}

/** The pod that sent a request: from its token, or its claim. */
function podOf({ user, impersonates }: Subject): string {
  const byToken = `request.userInfo.?extra[?'${podName}'].orValue([''])[0]`;
  if (impersonates === undefined) return byToken;
  const claim = celText(claimOf(impersonates));
  const byClaim = `${holderClaims}.filter(h, h.startsWith(${claim}))[0].split('/')[2].split('_')[0]`;
  return `request.userInfo.username == ${celText(user)} ? ${byToken} : ${byClaim}`;
}

const operations: Readonly<Record<string, Operation>> = {
  create: "CREATE",
  patch: "UPDATE",
  delete: "DELETE",
};

/**
 * The writes that the rules of the role allow, except for events, which any instance may write.
 *
 * @param rules The permissions of the operator.
 */
export function writesOf(rules: readonly PolicyRule[]): readonly ResourceRule[] {
  return rules.flatMap(({ apiGroups, resources, verbs }): readonly ResourceRule[] => {
    const writes = verbs.flatMap((verb) => operations[verb] ?? []);
    const isEvent = apiGroups[0] === Event.group && resources[0] === Event.plural;
    if (writes.length === 0 || isEvent) return [];
    return [{ apiGroups, apiVersions: ["*"], resources, operations: writes }];
  });
}
