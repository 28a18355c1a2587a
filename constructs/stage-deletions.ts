import { Approval } from "../crds/approval.ts";
import type { stageVerbs } from "../crds/stage-names.ts";
import { celText } from "./admission-policy.ts";
import {
  lacks,
  mayOn,
  ours,
  ownersIn,
  type PolicyContent,
  plurals,
  rule,
  toOtherOwners,
} from "./stage-rules.ts";

const promotion = ours(plurals.promotion);

/** Which verb a user needs on the stage of an object to delete it. */
const needed = [
  { plural: Approval.plural, verb: "approve", what: "may not delete this Approval or change its owners" },
  { plural: promotion.plural, verb: "promote", what: "may not delete this Promotion or change its owners" },
] as const satisfies readonly { plural: string; verb: keyof typeof stageVerbs; what: string }[];

/** Loses a controller. A Pipeline reads only those Promotions as its own whose controller it is. */
const isReleased = `${ownersIn("oldObject")}.exists(o, o.?controller.orValue(false) && !(o in ${ownersIn("object")}))`;

/**
 * A deletion withdraws a decision, ends a hold or removes evidence, so it needs the right with which the object is
 * created. RBAC cannot limit it to a stage, because the names of the objects are not known in advance.
 */
export const deletions: PolicyContent = {
  resourceRules: [Approval, promotion].map((kind) => rule(kind, "UPDATE", "DELETE")),
  variables: {
    // A deletion has no new object.
    stage: "oldObject.spec.?pipeline.orValue('') + '.' + oldObject.spec.?stage.orValue('')",
    removes: `request.operation == 'DELETE' || ${toOtherOwners} || ${isReleased}`,
  },
  validations: needed.map(({ plural, verb, what }) => ({
    expression:
      `request.resource.resource != ${celText(plural)} || !variables.removes` +
      ` || ${mayOn("variables.stage", verb)}`,
    message: lacks("variables.stage", verb, what),
  })),
};
