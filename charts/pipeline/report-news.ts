import type { Condition } from "../../crds/conditions.ts";
import type { KindClock } from "../../crds/kind-context.ts";
import type { PipelineResource } from "../../crds/pipeline.ts";
import type { StageStatus } from "../../crds/pipeline-status.ts";
import { isOpen } from "./promotions.ts";
import { later } from "./release-state.ts";
import type { PipelineWorld } from "./world.ts";

/** Delay that combines several outcomes in one status. Most Promotions without a soak have passed by then. */
const moment = "2s";

/** Delay of a status that reports only a start or a wait. Most Promotions have passed by then. */
const shortWait = "20s";

/** Whether a wait is still too short to be reported. The resource is requeued at the end of this time. Pure. */
export function isShortWait(since: string, clock: KindClock): boolean {
  return since !== "" && !clock.reached(later(since, shortWait));
}

/**
 * Whether a Pipeline that proves a target skips the write of its status: the status contains the same already, or an outcome
 * is expected soon. A change of the deployed commits is not reported until the stage has an outcome. Pure.
 */
export function isBriefReport(
  { stages, message }: { readonly stages: readonly StageStatus[]; readonly message: string },
  { status }: Pick<PipelineResource, "status">,
  world: PipelineWorld,
): boolean {
  const healthy = (status?.conditions as readonly Condition[] | undefined)?.find(
    ({ type }) => type === "Healthy",
  );
  const news = stages.filter((stage) => {
    const before = status?.stages?.find(({ name }) => name === stage.name);
    return before === undefined || !isUpToDate(stage, before);
  });
  if (news.length === 0) return healthy === undefined || healthy.message === message;
  const isStartOnly = news.every((stage) => {
    const before = status?.stages?.find(({ name }) => name === stage.name);
    return stage.phase === "Proving" && before !== undefined && !isOpenIn(before, world);
  });
  const young = (isStartOnly ? news : stages).filter(({ phase }) => phase === "Proving");
  const wait = isStartOnly ? shortWait : moment;
  return young.some(({ promotion }) =>
    world.promotions.some(
      ({ name, createdAt }) =>
        name === promotion?.name && createdAt !== "" && !world.clock.reached(later(createdAt, wait)),
    ),
  );
}

/** Whether the previous status of a stage is up to date, except for the digest that runs if one ran before. */
function isUpToDate(stage: StageStatus, before: StageStatus): boolean {
  const isFirst = before.running?.digest === undefined && stage.running?.digest !== undefined;
  return !isFirst && textOf(stage) === textOf(before);
}

/** Whether the Promotion of a stage's status has no outcome. */
function isOpenIn(before: StageStatus, { promotions }: PipelineWorld): boolean {
  return promotions.some((one) => one.name === before.promotion?.name && isOpen(one));
}

/** The reported fields of a stage as one text. The order is fixed here because an API server sorts the fields of objects. */
function textOf({ phase, promotion, failedSince, next, waiting = [], problems = [] }: StageStatus): string {
  const target = promotion && [promotion.name, promotion.message, promotion.unproven];
  const gates = waiting.map(({ gate, message, until, blocked }) => [gate, message, until, blocked]);
  return JSON.stringify([phase, target, failedSince, next?.revision, next?.digest, gates, problems]);
}
