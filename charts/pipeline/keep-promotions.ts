import type { LiveObject } from "../../crds/object.ts";
import type { PipelineResource } from "../../crds/pipeline.ts";
import { isOpen, StageHistory, type StartedPromotion, viewPromotion } from "./promotions.ts";
import { readStagesIfValid, type Stage } from "./shape.ts";
import { planOf } from "./world.ts";

/**
 * Selects the Promotions to keep: those that the decisions for the stages need, and the newest of the others. Pure.
 *
 * @param left All Promotions that the Pipeline created, the oldest first.
 */
export function keepPromotions(
  resource: PipelineResource,
  left: readonly LiveObject[],
): readonly LiveObject[] {
  const { namespace = "", uid } = resource.metadata;
  const stages = readStagesIfValid(resource.spec, { namespace });
  if (stages === undefined) return left;
  const views = left.map((live) => viewPromotion(live, { uid }));
  const needed = new Set(
    stages.flatMap((stage) => neededIn(stage, new StageHistory(views, stage), resource)),
  );
  const names = new Set([...needed].map(({ name }) => name));
  const { historyLimit = 20 } = resource.spec;
  const others = left.filter(({ metadata }) => !names.has(metadata.name));
  const newest = new Set(others.slice(Math.max(0, others.length - historyLimit)));
  return left.filter((live) => names.has(live.metadata.name) || newest.has(live));
}

function neededIn(
  stage: Stage,
  history: StageHistory,
  { status }: PipelineResource,
): readonly StartedPromotion[] {
  const { started, current, lastPassed, replaced } = history;
  const digests = new Set(
    (status?.candidates ?? []).flatMap((candidate) => {
      const plan = planOf(stage, candidate);
      return plan.state === "known" ? [plan.digest] : [];
    }),
  );
  const proofs = started.filter((one) => digests.has(one.spec.digest) && isLastOutcome(one, history));
  const lastRequest = started.findLast(({ spec }) => spec.request !== undefined);
  const running = started.findLast(({ passedAt }) => passedAt !== undefined);
  // The last Promotion that is not an automatic rollback shows what was rolled back.
  const before = started.findLast(({ spec }) => spec.rollback !== true);
  const needed = [current, lastPassed, running, lastRequest, before, ...proofs, ...replaced];
  return needed.filter((one) => one !== undefined);
}

function isLastOutcome(one: StartedPromotion, history: StageHistory): boolean {
  return isOpen(one) || history.evidenceOf(one.spec.digest).promotion?.name === one.name;
}
