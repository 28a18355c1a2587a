import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { HOLDER_EXTRA } from "../crds/names.ts";

/** One kind of request that a policy looks at, as `matchConstraints` has it. */
export interface ResourceRule {
  readonly apiGroups: readonly [string];
  readonly apiVersions: readonly ["*"];
  readonly resources: readonly [string];
  readonly operations: readonly Operation[];
  /** Objects of these names alone. */
  readonly resourceNames?: readonly string[];
}

export type Operation = "CREATE" | "UPDATE" | "DELETE";

/** The operator whose requests a policy concerns. */
export interface Subject {
  /** User name of the operator's ServiceAccount. */
  readonly user: string;
  /**
   * Its Lease, if it impersonates others: `<namespace>/<name>/<pod>` is what such a request then carries of it. The field
   * manager would not do: it is the same for every installation, and a deletion has none.
   */
  readonly impersonates?: { readonly namespace: string; readonly name: string } | undefined;
}

export interface AdmissionPolicyProps {
  /** Of the policy and of its binding; both are cluster-scoped. */
  readonly name: string;
  readonly resourceRules: readonly ResourceRule[];
  /** Exceptions from the rules. */
  readonly exclude?: readonly ResourceRule[] | undefined;
  /** Only objects that have this label, before or after, are matched, so that other requests cost nothing. */
  readonly label?: string | undefined;
  readonly subject: Subject;
  /** Whose requests are looked at; all others pass unseen. Default: the subject's. */
  readonly concerns?: "subject" | "everyone else" | "everyone";
  /** Users whose requests pass unseen as well. */
  readonly exceptUsers?: readonly string[];
  /** Labels of policy and binding, by which others find them. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Only objects in these namespaces are looked at. Default, and if there is none: all. */
  readonly namespaces?: readonly string[];
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

const matchConditions = {
  subject: (subject: Subject) => [{ name: "by-this-operator", expression: isBy(subject) }],
  "everyone else": (subject: Subject) => [{ name: "by-others", expression: `!(${isBy(subject)})` }],
  everyone: () => [],
} as const;

const apiVersion = "admissionregistration.k8s.io/v1";

/**
 * A ValidatingAdmissionPolicy that concerns one operator, and the binding that puts it in force.
 *
 * An expression that cannot be evaluated refuses the request (`Fail`). A parameter that does not exist lets all pass:
 * the API server looks for it before it knows whose request it is, so `Deny` would refuse everybody's.
 */
export class AdmissionPolicy extends Construct {
  readonly name: string;

  constructor(scope: Construct, id: string, props: AdmissionPolicyProps) {
    super(scope, id);
    const { name, subject, resourceRules, exclude, label, variables, validations, parameter } = props;
    const { concerns = "subject", namespaces = [], exceptUsers = [], labels } = props;
    const metadata = { name, ...(labels && { labels }) };
    this.name = name;
    new ApiObject(this, "policy", {
      apiVersion,
      kind: "ValidatingAdmissionPolicy",
      metadata,
      spec: {
        failurePolicy: "Fail",
        ...(parameter && { paramKind: { apiVersion: parameter.apiVersion, kind: parameter.kind } }),
        matchConstraints: {
          resourceRules,
          ...(exclude && { excludeResourceRules: exclude }),
          ...(label !== undefined && {
            objectSelector: { matchExpressions: [{ key: label, operator: "Exists" }] },
          }),
          ...(namespaces.length > 0 && {
            namespaceSelector: {
              matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "In", values: namespaces }],
            },
          }),
        },
        matchConditions: [
          ...matchConditions[concerns](subject),
          ...(exceptUsers.length === 0
            ? []
            : [
                {
                  name: "by-others-than-these",
                  expression: `!(request.userInfo.username in ${celTexts(exceptUsers)})`,
                },
              ]),
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
      metadata,
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

/** Claims of the sending instance in impersonated requests, as a CEL list. */
export const holderClaims = `request.userInfo.?extra[?'${HOLDER_EXTRA}'].orValue([])`;

/** True for the requests of a subject. Must never fail: it is asked about everybody's. */
function isBy({ user, impersonates }: Subject): string {
  const isItself = `request.userInfo.username == ${celText(user)}`;
  if (impersonates === undefined) return isItself;
  return `${isItself} || ${holderClaims}.exists(h, h.startsWith(${celText(claimOf(impersonates))}))`;
}

/** Prefix of the claims of all instances of an installation. */
export function claimOf({ namespace, name }: NonNullable<Subject["impersonates"]>): string {
  return `${namespace}/${name}/`;
}

/** A text as a CEL literal. */
export function celText(text: string): string {
  return `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
}

/** Texts as a CEL list. */
export function celTexts(texts: readonly string[]): string {
  return `[${texts.map(celText).join(", ")}]`;
}
