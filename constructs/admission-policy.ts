import { ApiObject } from "cdk8s";
import { Construct } from "constructs";

/** One kind of request that a policy looks at, as `matchConstraints` has it. */
export interface ResourceRule {
  readonly apiGroups: readonly [string];
  readonly apiVersions: readonly ["*"];
  readonly resources: readonly [string];
  readonly operations: readonly Operation[];
}

export type Operation = "CREATE" | "UPDATE" | "DELETE";

export interface AdmissionPolicyProps {
  /** Of the policy and of its binding; both are cluster-scoped. */
  readonly name: string;
  readonly resourceRules: readonly ResourceRule[];
  /** User name of those whose requests are looked at; everybody else's pass unseen. */
  readonly user: string;
  /** CEL, evaluated when it is used. */
  readonly variables: Readonly<Record<string, string>>;
  /** All must be true; `message` is CEL too, and becomes the refusal's text. */
  readonly validations: readonly { readonly expression: string; readonly message: string }[];
  /** An object whose fields the expressions read as `params`; see {@link AdmissionPolicy}. */
  readonly parameter?: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly namespace: string;
  };
}

const apiVersion = "admissionregistration.k8s.io/v1";

/**
 * A ValidatingAdmissionPolicy that concerns one user, and the binding that puts it in force.
 *
 * An expression that cannot be evaluated refuses the request (`Fail`). A parameter that does not exist lets all pass:
 * the API server looks for it before it knows whose request it is, so `Deny` would refuse everybody's.
 */
export class AdmissionPolicy extends Construct {
  readonly name: string;

  constructor(scope: Construct, id: string, props: AdmissionPolicyProps) {
    super(scope, id);
    const { name, user, resourceRules, variables, validations, parameter } = props;
    this.name = name;
    new ApiObject(this, "policy", {
      apiVersion,
      kind: "ValidatingAdmissionPolicy",
      metadata: { name },
      spec: {
        failurePolicy: "Fail",
        ...(parameter && { paramKind: { apiVersion: parameter.apiVersion, kind: parameter.kind } }),
        matchConstraints: { resourceRules },
        matchConditions: [
          { name: "by-this-operator", expression: `request.userInfo.username == ${celText(user)}` },
        ],
        variables: Object.entries(variables).map(([variable, expression]) => ({
          name: variable,
          expression,
        })),
        validations: validations.map(({ expression, message }) => ({
          expression,
          messageExpression: message,
          reason: "Forbidden",
        })),
      },
    });
    new ApiObject(this, "binding", {
      apiVersion,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name },
      spec: {
        policyName: name,
        validationActions: ["Deny"],
        ...(parameter && {
          paramRef: {
            name: parameter.name,
            namespace: parameter.namespace,
            parameterNotFoundAction: "Allow",
          },
        }),
      },
    });
  }
}

/** A text as a CEL literal. */
export function celText(text: string): string {
  return `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
}

/** Texts as a CEL list. */
export function celTexts(texts: readonly string[]): string {
  return `[${texts.map(celText).join(", ")}]`;
}
