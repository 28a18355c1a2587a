import { Approval } from "../crds/approval.ts";
import type { stageVerbs } from "../crds/stage-names.ts";
import { celText } from "./admission-policy.ts";
import { lacks, mayOn, ours, type PolicyContent, plurals, rule } from "./stage-rules.ts";

const promotion = ours(plurals.promotion);

/** Which verb a user needs on the stage of an object to delete it. */
const needed = [
  { plural: Approval.plural, verb: "approve", what: "may not delete this Approval or add an owner to it" },
  { plural: promotion.plural, verb: "promote", what: "may not delete this Promotion or add an owner to it" },
] as const satisfies readonly { plural: string; verb: keyof typeof stageVerbs; what: string }[];

/**
 * A deletion withdraws a decision, ends a hold or removes evidence, so it needs the right with which the object is
 * created. RBAC cannot limit it to a stage, because the names of the objects are not known in advance.
 */
export const deletions: PolicyContent = {
  resourceRules: [Approval, promotion].map((kind) => rule(kind, "UPDATE", "DELETE")),
  variables: {
    // A deletion has no new object.
    stage: "oldObject.spec.?pipeline.orValue('') + '.' + oldObject.spec.?stage.orValue('')",
    // The garbage collector deletes an object whose owner does not exist.
    removes:
      "request.operation == 'DELETE' || object.metadata.?ownerReferences.orValue([])" +
      ".exists(o, !oldObject.metadata.?ownerReferences.orValue([]).exists(p, p.uid == o.uid))",
  },
  validations: needed.map(({ plural, verb, what }) => ({
    expression:
      `request.resource.resource != ${celText(plural)} || !variables.removes` +
      ` || ${mayOn("variables.stage", verb)}`,
    message: lacks("variables.stage", verb, what),
  })),
};
