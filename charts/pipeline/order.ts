import type { Candidate } from "../../crds/pipeline-status.ts";
import type { Stage } from "./shape.ts";
import { historyOf, type PipelineWorld } from "./world.ts";

/**
 * The earlier stages that have not passed a candidate. A stage may have passed the digest of a candidate without running the
 * candidate itself; then the stages before it must have passed the candidate too. Pure.
 */
export function unprovenStages(candidate: Candidate, stage: Stage, world: PipelineWorld): readonly string[] {
  const unproven: string[] = [];
  const names = new Set(stage.comesAfter);
  // The iteration of a Set includes names that are added during the loop.
  for (const name of names) {
    const before = world.stages.find((one) => one.name === name);
    const plan = before === undefined ? undefined : world.planOf(before, candidate);
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
