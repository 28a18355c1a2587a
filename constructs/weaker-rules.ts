import { toOtherOwners } from "./stage-rules.ts";

// CEL over the old and the new spec of a Pipeline: which stages have weaker rules than before. A rule that cannot be
// compared counts as weaker, so every expression defines what is not weaker. `s` is a stage before the change, `n` the
// stage of the same name after it.

/** Maximum number of consecutive stages that are searched to determine whether a stage still follows another one. */
const deepestOrder = 4;

/** CEL of an optional list; empty where it is absent. */
const list = (path: string): string => `${path}.orValue([])`;

/** Whether each old element still exists. */
const keeps = (path: string): string => `${list(`s.?${path}`)}.all(e, e in ${list(`n.?${path}`)})`;

/** Whether a flag is not cleared. */
const staysOn = (path: string): string => `(!s.?${path}.orValue(false) || n.?${path}.orValue(false))`;

const notWeaker: readonly string[] = [
  "n.?enter.?approvals.?count.orValue(0) >= s.?enter.?approvals.?count.orValue(0)",
  // No group may be added to those whose members count; without groups, everyone's approval counts.
  `(size(${list("s.?enter.?approvals.?groups")}) == 0 || (size(${list("n.?enter.?approvals.?groups")}) > 0` +
    ` && ${list("n.?enter.?approvals.?groups")}.all(g, g in ${list("s.?enter.?approvals.?groups")})))`,
  staysOn("enter.?approvals.?notAuthor"),
  `${list("s.?enter.?windows")}.all(w, !has(w.deny) || w in ${list("n.?enter.?windows")})`,
  // Without an allow window everything is allowed.
  `(!${list("s.?enter.?windows")}.exists(w, has(w.allow)) || (${list("n.?enter.?windows")}.exists(w, has(w.allow))` +
    ` && ${list("n.?enter.?windows")}.all(w, !has(w.allow) || w in ${list("s.?enter.?windows")})))`,
  "duration(n.?pass.?soak.orValue('0s')) >= duration(s.?pass.?soak.orValue('0s'))",
  keeps("pass.?verify"),
  keeps("releases"),
  "(s.?onFailure.orValue('Hold') != 'RollBack' || n.?onFailure.orValue('Hold') == 'RollBack')",
  // A declared difference is allowed.
  `(!s.?differences.hasValue() || (n.?differences.hasValue()` +
    ` && ${list("n.?differences")}.all(d, d in ${list("s.?differences")})))`,
  staysOn("requireImageDigests"),
  // How much a failure can affect. A number and a percentage cannot be compared; without `batch`, all are deployed.
  `(!s.?batch.hasValue() || (n.?batch.hasValue() && ${isPercentage("n")} == ${isPercentage("s")}` +
    ` && ${batchOf("n")} <= ${batchOf("s")}))`,
  // Proofs of a stage with an earlier name count.
  `${list("n.?formerly")}.all(f, f in ${list("s.?formerly")})`,
  // And so do Freezes and rejections.
  keeps("formerly"),
  `${stagesBefore("s", "variables.oldNames")}.all(d, ${comesAfter("n", "d", deepestOrder)})`,
];

/** CEL variables; `weakened` contains the names of stages with weaker rules, and of removed stages. */
export const weakenedStages: Readonly<Record<string, string>> = {
  news: "request.operation == 'DELETE' ? [] : object.spec.stages",
  oldNames: "oldObject.spec.stages.map(x, x.name)",
  newNames: "variables.news.map(x, x.name)",
  // The garbage collector deletes a Pipeline whose owner was deleted.
  isGivenAway: `request.operation != 'DELETE' && ${toOtherOwners}`,
  // Other commits are followed, or other signatures count. By `path` commits are only ignored.
  followsOthers:
    "request.operation != 'DELETE' && (object.spec.source.url != oldObject.spec.source.url" +
    ` || ${refOf("object")} != ${refOf("oldObject")} || (oldObject.spec.source.?verify.hasValue()` +
    " && object.spec.source.?verify != oldObject.spec.source.?verify))",
  weakened:
    "oldObject.spec.stages.filter(s, variables.isGivenAway || variables.followsOthers || " +
    `!variables.news.exists(n, n.name == s.name && ${notWeaker.join(" && ")})).map(s, s.name)`,
};

/** CEL: the ref that a Pipeline follows. */
function refOf(object: string): string {
  return `${object}.spec.source.?ref.orValue({'branch': 'main'})`;
}

/** CEL: whether the batch of a stage is a percentage. */
function isPercentage(stage: string): string {
  return `string(${stage}.batch).endsWith('%')`;
}

/** CEL: the number in the batch of a stage. */
function batchOf(stage: string): string {
  return `int(string(${stage}.batch).replace('%', ''))`;
}

/** CEL: the names of the stages that a stage follows. Default: the previous one. */
function stagesBefore(stage: string, names: string): string {
  const index = `${names}.indexOf(${stage}.name)`;
  return `(has(${stage}.after) ? ${stage}.after : ${index} <= 0 ? [] : [${names}[${index} - 1]])`;
}

/** CEL: whether a stage of the new Pipeline follows the stage with a name, possibly with others in between. */
function comesAfter(stage: string, name: string, depth: number): string {
  const [before, next] = [`b${depth}`, `m${depth}`];
  const further =
    depth === 1
      ? "false"
      : `variables.news.exists(${next}, ${next}.name == ${before} && ${comesAfter(next, name, depth - 1)})`;
  return `${stagesBefore(stage, "variables.newNames")}.exists(${before}, ${before} == ${name} || ${further})`;
}
