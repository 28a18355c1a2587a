import type { Candidate } from "../../crds/pipeline-status.ts";
import type { Stage } from "./shape.ts";
import { historyOf, type PipelineWorld, planOf } from "./world.ts";

/**
 * The stages that come before and have not passed a candidate. A stage that did not run it passes it on, if its digest has passed,
 * only when the stages before that stage have passed it as well. Pure.
 */
export function unprovenStages(candidate: Candidate, stage: Stage, world: PipelineWorld): readonly string[] {
  const unproven: string[] = [];
  const names = new Set(stage.comesAfter);
  // A set also iterates over what is added meanwhile.
  for (const name of names) {
    const before = world.stages.find((one) => one.name === name);
    const plan = before === undefined ? undefined : planOf(before, candidate);
    const history = before === undefined ? undefined : historyOf(world, before);
    if (plan?.state !== "known" || history?.hasPassed(candidate.number, plan.digest) !== true) {
      unproven.push(name);
      continue;
    }
    if (history.hasProven(candidate.number, plan.digest)) continue;
    for (const earlier of before?.comesAfter ?? []) names.add(earlier);
  }
  return unproven;
}
