import type { Construct } from "constructs";
import { Event, Lease } from "../crds/core-kinds.ts";
import { apiVersionOf } from "../crds/object.ts";
import { AdmissionPolicy, type Operation, type ResourceRule } from "./admission-policy.ts";
import type { PolicyRule } from "./operator-role.ts";

export interface LeadershipFenceProps {
  /** Of policy and binding. */
  readonly name: string;
  /** User name of the operator. */
  readonly user: string;
  /** What the operator is granted: what it may write is what its leader alone may write. */
  readonly rules: readonly PolicyRule[];
  /** The Lease that the operator's instances compete for. */
  readonly lease: { readonly name: string; readonly namespace: string };
}

/** What a token says of the pod that it was issued for. */
const podName = "authentication.kubernetes.io/pod-name";

/**
 * Of the operator's instances only the one whose pod holds the Lease may write. The pod's name is in the token, so an
 * instance that was deposed, cut off or asleep cannot claim to be another one; it is checked by the API server at the
 * moment of the write. The holder is the pod's name, or the pod's name with something behind `_`.
 */
export class LeadershipFence extends AdmissionPolicy {
  constructor(scope: Construct, id: string, { name, user, rules, lease }: LeadershipFenceProps) {
    super(scope, id, {
      name,
      user,
      resourceRules: rules.flatMap(writesOf),
      variables: {
        holder: "params.?spec.?holderIdentity.orValue('')",
        pod: `request.userInfo.?extra[?'${podName}'].orValue([''])[0]`,
      },
      validations: [
        {
          // A pod's name has no underscore.
          expression: "variables.holder != '' && variables.holder.split('_')[0] == variables.pod",
          message: [
            "'the lease is held by ' + (variables.holder == '' ? 'nobody' : variables.holder)",
            "+ ', and this request comes from ' + (variables.pod == '' ? 'no pod' : variables.pod)",
          ].join(" "),
        },
      ],
      parameter: { apiVersion: apiVersionOf(Lease), kind: Lease.kind, ...lease },
    });
  }
}

const operations: Readonly<Record<string, Operation>> = {
  create: "CREATE",
  patch: "UPDATE",
  delete: "DELETE",
};

/** The writes that a rule of the role allows, but for events: whoever does not lead may still say so. */
function writesOf({ apiGroups, resources, verbs }: PolicyRule): readonly ResourceRule[] {
  const writes = verbs.flatMap((verb) => operations[verb] ?? []);
  const isEvent = apiGroups[0] === Event.group && resources[0] === Event.plural;
  if (writes.length === 0 || isEvent) return [];
  return [{ apiGroups, apiVersions: ["*"], resources, operations: writes }];
}
