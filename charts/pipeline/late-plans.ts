import { canPlan, hasPlanned } from "./plan-candidates.ts";
import { agreedRelease } from "./release-problems.ts";
import { later } from "./release-state.ts";
import type { Stage } from "./shape.ts";
import { type PipelineWorld, shortId } from "./world.ts";

/** Most plans are there long before, so that they cost no status. */
const patience = "30s";

/**
 * The Releases of a stage that have not planned the commit that they were asked to plan, one text for each. The Pipeline plans
 * no newer commit before they have. Pure.
 */
export function describeLatePlans(stage: Stage, world: PipelineWorld): readonly string[] {
  return stage.keys.flatMap((key) => {
    const release = agreedRelease(key, { stage, world });
    if (release?.asked === undefined || release.askedAt === undefined) return [];
    const { asked, askedAt } = release;
    if (hasPlanned(release, asked) || !canPlan(release, asked)) return [];
    if (!world.clock.reached(later(askedAt, patience))) return [];
    return [
      `Release "${key}" has not planned ${shortId(asked)}, which was requested at ${askedAt}, so no newer commit is planned: see its conditions, and whether an operator reconciles it; while it is suspended, the other Releases go on`,
    ];
  });
}
