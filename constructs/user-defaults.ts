import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { Approval } from "../crds/approval.ts";
import { MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding } from "../crds/core-kinds.ts";
import { Freeze } from "../crds/freeze.ts";
import { apiVersionOf } from "../crds/object.ts";

export interface UserDefaultsProps {
  /** Name of policy and binding. */
  readonly name: string;
  /** Namespaces whose Pipelines the operator reconciles; none: all. */
  readonly namespaces: readonly string[];
}

const add = (path: string, value: string): string =>
  `JSONPatch{op: 'add', path: '/spec/${path}', value: ${value}}`;

/** A list of a custom resource is replaced as a whole, which the other type of patch does not do. */
const jsonPatch = (expression: string) => ({ patchType: "JSONPatch", jsonPatch: { expression } });

/**
 * Fills in the creator of an Approval, a Promotion or a Freeze: `spec.by`, and `spec.groups` of an Approval. The
 * validating policies reject a wrong one, so this is only for convenience, and an error in it rejects nothing.
 */
export class UserDefaults extends Construct {
  constructor(scope: Construct, id: string, { name, namespaces }: UserDefaultsProps) {
    super(scope, id);
    const resources = [Approval.plural, Freeze.plural, "promotions"];
    new ApiObject(this, "policy", {
      apiVersion: apiVersionOf(MutatingAdmissionPolicy),
      kind: MutatingAdmissionPolicy.kind,
      metadata: { name },
      spec: {
        failurePolicy: "Ignore",
        reinvocationPolicy: "Never",
        matchConstraints: {
          resourceRules: [
            { apiGroups: [Approval.group], apiVersions: ["*"], resources, operations: ["CREATE"] },
          ],
          ...(namespaces.length > 0 && {
            namespaceSelector: {
              matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "In", values: namespaces }],
            },
          }),
        },
        matchConditions: [
          { name: "without-user", expression: "has(object.spec) && !has(object.spec.by)" },
          {
            // A Promotion of a Pipeline is not created by a user.
            name: "without-controller",
            expression:
              "!object.metadata.?ownerReferences.orValue([]).exists(o, o.?controller.orValue(false))",
          },
        ],
        // One after the other: if one cannot be filled in, the others still are.
        mutations: [
          jsonPatch(`[${add("by", "request.userInfo.username")}]`),
          jsonPatch(
            `request.resource.resource != '${Approval.plural}' || has(object.spec.groups) ? [] : ` +
              // A list of the request itself cannot be converted to JSON.
              `[${add("groups", "request.userInfo.groups.map(g, g)")}]`,
          ),
        ],
      },
    });
    new ApiObject(this, "binding", {
      apiVersion: apiVersionOf(MutatingAdmissionPolicyBinding),
      kind: MutatingAdmissionPolicyBinding.kind,
      metadata: { name },
      spec: { policyName: name },
    });
  }
}
