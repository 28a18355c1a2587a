import { Construct } from "constructs";
import { Approval } from "../crds/approval.ts";
import { Freeze } from "../crds/freeze.ts";
import { Release } from "../crds/release.ts";
import { APPROVAL_POLICY } from "../crds/stage-names.ts";
import { AdmissionPolicy, type AdmissionPolicyProps, celText, type Subject } from "./admission-policy.ts";
import { deletions } from "./stage-deletions.ts";
import {
  cleaners,
  lacks,
  mayOn,
  ours,
  ownersIn,
  type PolicyContent,
  plurals,
  rule,
  user,
} from "./stage-rules.ts";
import { weakenedStages } from "./weaker-rules.ts";

/** Names of the policies, each of which is also the name of its binding. */
export interface StagePolicyNames {
  readonly approvals: string;
  readonly promotions: string;
  readonly pins: string;
  readonly pipelines: string;
  readonly pipelineStatus: string;
  readonly deletions: string;
}

export interface StagePoliciesProps {
  readonly names: StagePolicyNames;
  /** The operator. */
  readonly subject: Pick<Subject, "user">;
  /** Namespaces whose Pipelines the operator reconciles; none: all. */
  readonly namespaces: readonly string[];
}

/** As in synth/manifest.ts; this folder does not import synth. */
const SET_LABEL = "fairlead.dev/set";

/**
 * Rights on stages of Pipelines, enforced by the API server. RBAC grants the verbs `approve`, `promote` and `bypass` on
 * the virtual resource `stages`, whose objects are named `pipeline.stage`.
 *
 * - An Approval names the user who creates it, no group that the user is not in, and needs `approve`. A Freeze names its
 *   user.
 * - A Promotion that a user creates names this user and needs `promote`, and `bypass` if it skips gates. Only the
 *   operator creates those of a Pipeline.
 * - A pin of a Release that belongs to a stage needs `promote`.
 * - A weaker rule of a Pipeline, or its deletion, needs `bypass`.
 * - Only the operator writes the status of Pipelines and Promotions.
 * - The deletion of an Approval needs `approve`, that of a Promotion `promote`.
 */
export class StagePolicies extends Construct {
  constructor(scope: Construct, id: string, { names, subject, namespaces }: StagePoliciesProps) {
    super(scope, id);
    const add = (
      key: keyof StagePolicyNames,
      props: Omit<AdmissionPolicyProps, "name" | "subject" | "namespaces">,
    ) => new AdmissionPolicy(this, key, { ...props, name: names[key], subject, namespaces });
    add("approvals", approvals);
    add("promotions", { ...promotions, concerns: "everyone else" });
    add("pins", { ...pins, concerns: "everyone else" });
    add("pipelines", { ...pipelines, concerns: "everyone else", exceptUsers: cleaners });
    add("pipelineStatus", { ...pipelineStatus, concerns: "everyone else" });
    add("deletions", { ...deletions, concerns: "everyone else", exceptUsers: cleaners });
  }
}

const approvals: PolicyContent & Pick<AdmissionPolicyProps, "concerns" | "labels"> = {
  concerns: "everyone",
  labels: { [APPROVAL_POLICY.key]: APPROVAL_POLICY.value },
  resourceRules: [rule(Approval, "CREATE"), rule(Freeze, "CREATE")],
  variables: { stage: "object.spec.?pipeline.orValue('') + '.' + object.spec.?stage.orValue('')" },
  validations: [
    {
      expression: `object.spec.?by.orValue(${user}) == ${user}`,
      message: `'spec.by must be the user who creates it: ' + ${user}`,
    },
    {
      expression: "object.spec.?groups.orValue([]).all(g, g in request.userInfo.groups)",
      message: `'spec.groups has a group that ' + ${user} + ' is not in'`,
    },
    {
      expression: `request.resource.resource != ${celText(Approval.plural)} || ${mayOn("variables.stage", "approve")}`,
      message: lacks("variables.stage", "approve", "may not approve or reject for this stage"),
    },
  ],
};

/** Fields of a Promotion's spec that contain results of the Pipeline. */
const ofPipeline = [
  "releases",
  "approvals",
  "number",
  "candidate",
  "attempt",
  "provenBy",
  "rollback",
  "request",
] as const;

const promotions: PolicyContent = {
  resourceRules: [rule(ours(plurals.promotion), "CREATE", "UPDATE")],
  variables: {
    stage: "object.spec.pipeline + '.' + object.spec.stage",
    isNew: "request.operation == 'CREATE'",
    bypasses: "size(object.spec.?bypass.orValue([])) > 0",
    oldControllers: `variables.isNew ? [] : ${controllersIn("oldObject")}`,
    oldSet: `variables.isNew ? '' : ${setIn("oldObject")}`,
  },
  validations: [
    {
      expression:
        `${controllersIn("object")}.all(n, variables.oldControllers.exists(o, o.uid == n.uid))` +
        ` && ${setIn("object")} == variables.oldSet`,
      message: "'only the operator creates the Promotions of a Pipeline'",
    },
    {
      expression: `!variables.isNew || object.spec.?by.orValue('') == ${user}`,
      message: `'spec.by must be the user who creates it: ' + ${user}`,
    },
    {
      expression: `!variables.isNew || (${ofPipeline.map((field) => `!has(object.spec.${field})`).join(" && ")})`,
      message: celText(`only the operator sets these fields of a Promotion: ${ofPipeline.join(", ")}`),
    },
    {
      expression: `!variables.isNew || ${mayOn("variables.stage", "promote")}`,
      message: lacks("variables.stage", "promote", "may not promote to this stage"),
    },
    {
      expression: "!variables.isNew || !variables.bypasses || object.spec.?reason.orValue('') != ''",
      message: "'a Promotion with spec.bypass must have spec.reason'",
    },
    {
      expression: `!variables.isNew || !variables.bypasses || ${mayOn("variables.stage", "bypass")}`,
      message: lacks("variables.stage", "bypass", "may not skip gates of this stage"),
    },
  ],
};

const pins: PolicyContent = {
  resourceRules: [rule(Release, "CREATE", "UPDATE")],
  variables: {
    isNew: "request.operation == 'CREATE'",
    pins: [
      "variables.isNew ? has(object.spec.revision)",
      ": object.spec.?revision != oldObject.spec.?revision || object.spec.?digest != oldObject.spec.?digest",
      "|| object.spec.source.?ref != oldObject.spec.source.?ref",
    ].join(" "),
    // Namespace and name of the stage; empty if the Release belongs to none.
    stage: stageIn("object"),
    oldStage: `variables.isNew ? [] : ${stageIn("oldObject")}`,
  },
  validations: ["variables.stage", "variables.oldStage"].map((stage) => ({
    expression: `!variables.pins || size(${stage}) == 0 || ${mayOn(`${stage}[1]`, "promote", `${stage}[0]`)}`,
    message: lacks(`${stage}[1]`, "promote", "may not pin a Release of this stage"),
  })),
};

/** For more stages than these, `bypass` on all stages of the Pipeline is required. */
const mostAsked = 8;

/** Name that stands for all stages of a Pipeline; no stage can have it. */
const allStages = "oldObject.metadata.name + '.*'";

const pipelines: PolicyContent = {
  resourceRules: [rule(ours(plurals.pipeline), "UPDATE", "DELETE")],
  variables: weakenedStages,
  validations: [
    ...Array.from({ length: mostAsked }, (_, index) => {
      const stage = `oldObject.metadata.name + '.' + variables.weakened[${index}]`;
      return {
        expression: `size(variables.weakened) <= ${index} || ${mayOn(stage, "bypass")} || ${mayOn(allStages, "bypass")}`,
        message: lacks(stage, "bypass", "may not weaken or remove the rules of this stage"),
      };
    }),
    {
      expression: `size(variables.weakened) <= ${mostAsked} || ${mayOn(allStages, "bypass")}`,
      message: lacks(allStages, "bypass", "may not weaken or remove the rules of so many stages"),
    },
  ],
};

const pipelineStatus: PolicyContent = {
  resourceRules: [plurals.pipeline, plurals.promotion].map((plural) =>
    rule(ours(`${plural}/status`), "UPDATE"),
  ),
  variables: {},
  validations: [
    {
      expression: "false",
      message:
        "'only the operator writes the status of Pipelines and Promotions, which records what has passed'",
    },
  ],
};

/** CEL: namespace and name of the stage of a Release, as a list; empty if it belongs to none. */
function stageIn(object: string): string {
  const ref = `${object}.spec.source.?ref`;
  return (
    `${ref}.?pipeline.hasValue() ? [string(${ref}.?namespace.orValue(request.namespace)), ` +
    `string(${ref}.?pipeline.orValue('')) + '.' + string(${ref}.?stage.orValue(''))] : []`
  );
}

function controllersIn(object: string): string {
  return `${ownersIn(object)}.filter(o, o.?controller.orValue(false))`;
}

function setIn(object: string): string {
  return `${object}.metadata.?labels[?${celText(SET_LABEL)}].orValue('')`;
}
