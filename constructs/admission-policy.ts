import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { HOLDER_EXTRA } from "../crds/names.ts";

/** One kind of request that a policy matches, in the form of `matchConstraints`. */
export interface ResourceRule {
  readonly apiGroups: readonly [string];
  readonly apiVersions: readonly ["*"];
  readonly resources: readonly [string];
  readonly operations: readonly Operation[];
  /** Only objects with these names. */
  readonly resourceNames?: readonly string[];
}

export type Operation = "CREATE" | "UPDATE" | "DELETE";

/** The operator whose requests a policy concerns. */
export interface Subject {
  /** User name of the operator's ServiceAccount. */
  readonly user: string;
  /**
   * Its Lease, if it impersonates others: such a request then contains `<namespace>/<name>/<pod>`. The field manager is
   * not sufficient: it is the same for every installation, and a deletion has none.
   */
  readonly impersonates?: { readonly namespace: string; readonly name: string } | undefined;
}

export interface AdmissionPolicyProps {
  /** Name of the policy and of its binding; both are cluster-scoped. */
  readonly name: string;
  readonly resourceRules: readonly ResourceRule[];
  /** Exceptions from the rules. */
  readonly exclude?: readonly ResourceRule[] | undefined;
  /** Only objects with this label, before or after the change, are matched, so that other requests have no cost. */
  readonly label?: string | undefined;
  readonly subject: Subject;
  /** User whose requests are evaluated; all others are admitted. Default: the subject. */
  readonly concerns?: "subject" | "everyone else" | "everyone";
  /** Further users whose requests are admitted without evaluation. */
  readonly exceptUsers?: readonly string[];
  /** Labels of policy and binding, by which others find them. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Only objects in these namespaces are evaluated. Default, and if the list is empty: all. */
  readonly namespaces?: readonly string[];
  /** CEL, evaluated when it is used. */
  readonly variables: Readonly<Record<string, string>>;
  /** All must be true; `message` is also CEL, and becomes the message of the rejection. */
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
 * An expression that cannot be evaluated rejects the request (`Fail`). If the parameter does not exist, all requests are
 * admitted: the API server reads it before it evaluates the user, so `Deny` would reject the requests of all users.
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

/** True for the requests of a subject. Must never fail: it is evaluated for the requests of all users. */
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
