import type { ObjectKind } from "../crds/object.ts";
import { Release } from "../crds/release.ts";
import { stageVerbs, VIRTUAL_STAGES } from "../crds/stage-names.ts";
import { type AdmissionPolicyProps, celText, type Operation, type ResourceRule } from "./admission-policy.ts";

// Parts of the policies in stage-policies.ts.

/** CEL: name of the user who sends the request. */
export const user = "request.userInfo.username";

/** Controllers that delete dependents of an owner or a namespace. The last one is for clusters where all controllers share it. */
export const cleaners = [
  "system:serviceaccount:kube-system:namespace-controller",
  "system:serviceaccount:kube-system:generic-garbage-collector",
  "system:kube-controller-manager",
];

/** The requests that a policy matches, and its checks. */
export type PolicyContent = Pick<AdmissionPolicyProps, "resourceRules" | "variables" | "validations">;

/** Plurals of the kinds of pipelines, which need not be installed. */
export const plurals = { pipeline: "pipelines", promotion: "promotions" } as const;

/** A rule for requests to a kind. Pure. */
export function rule(
  { group, plural }: Pick<ObjectKind, "group" | "plural">,
  ...operations: readonly Operation[]
): ResourceRule {
  return { apiGroups: [group], apiVersions: ["*"], resources: [plural], operations };
}

/** A kind of this API group. Pure. */
export function ours(plural: string): Pick<ObjectKind, "group" | "plural"> {
  return { group: Release.group, plural };
}

/** CEL: whether the user has a verb on a stage. More than two checks in an expression exceed the cost limit. */
export function mayOn(stage: string, verb: keyof typeof stageVerbs, namespace = "request.namespace"): string {
  return (
    `authorizer.group(${celText(Release.group)}).resource(${celText(VIRTUAL_STAGES)})` +
    `.namespace(${namespace}).name(${stage}).check(${celText(stageVerbs[verb])}).allowed()`
  );
}

/** CEL: the message to a user who lacks a verb. */
export function lacks(stage: string, verb: keyof typeof stageVerbs, what: string): string {
  return (
    `${user} + ${celText(` ${what}: this needs the verb ${stageVerbs[verb]} on ${VIRTUAL_STAGES}.${Release.group} `)}` +
    ` + ${stage}`
  );
}

/** CEL: the owner references of an object. */
export function ownersIn(object: string): string {
  return `${object}.metadata.?ownerReferences.orValue([])`;
}

/**
 * CEL: whether an update adds or changes an owner reference. The garbage collector deletes an object if the owner does
 * not exist under the name in the reference, so the uid alone is not compared.
 */
export const toOtherOwners = `${ownersIn("object")}.exists(o, !(o in ${ownersIn("oldObject")}))`;
