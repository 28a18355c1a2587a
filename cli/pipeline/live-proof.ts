import { agreedRelease, agreedReleases } from "../../charts/pipeline/release-problems.ts";
import { type ReleaseView, viewRelease } from "../../charts/pipeline/release-view.ts";
import { readStagesIfValid, type Stage } from "../../charts/pipeline/shape.ts";
import { proofOfStage } from "../../charts/pipeline/stage-proof.ts";
import { instantMs, type KindClock } from "../../crds/kind-context.ts";
import { Release } from "../../crds/release.ts";
import { toLiveObject } from "../../operator/cluster/live-object.ts";
import type { ApiClient, StoredObject } from "../release/api-client.ts";
import type { PipelineObject } from "./pipeline-object.ts";
import type { PromotionObject } from "./pipeline-text.ts";

/** A Pipeline and its Promotions, as stored by the API server. */
export interface Delivery {
  readonly pipeline: PipelineObject;
  readonly promotions: readonly PromotionObject[];
}

/**
 * Adds two facts from the statuses of the Releases: why each Promotion without an outcome waits, and the commit that its
 * stage runs. The operator writes no status for such progress. Pure.
 */
export function withLiveProofs(
  { pipeline, promotions }: Delivery,
  releases: readonly StoredObject[],
  { nowMs }: { readonly nowMs: number },
): Delivery {
  const stages = readStagesIfValid(pipeline.spec, pipeline.metadata) ?? [];
  const views = new Map(releases.map((one) => viewRelease(toLiveObject(one))).map((one) => [one.key, one]));
  const clock: KindClock = { reached: (instant) => instantMs(instant) <= nowMs };
  return {
    pipeline: withRunning(pipeline, stages, views),
    promotions: promotions.map((promotion) => {
      const stage = stages.find(({ names }) => names.has(promotion.spec.stage));
      const proof = stage && isProven(promotion) ? proofOf(promotion, { stage, views, clock }) : undefined;
      if (proof?.state !== "Proving") return promotion;
      const { message: waiting, until } = proof;
      const { until: _, ...status } = promotion.status ?? {};
      return { ...promotion, status: { ...status, phase: "Proving", waiting, ...(until && { until }) } };
    }),
  };
}

/** Reads the Releases of a Pipeline if one of its stages proves a target. None if the user may not read them. */
export async function readReleasesOf(
  { spec, status, metadata }: PipelineObject,
  client: Pick<ApiClient, "list">,
): Promise<readonly StoredObject[]> {
  if (status?.stages?.some(({ phase }) => phase === "Proving") !== true) return [];
  const stages = readStagesIfValid(spec, metadata) ?? [];
  const namespaces = new Set(stages.flatMap(({ keys }) => keys.map((key) => key.split("/", 1)[0])));
  const lists = [...namespaces].map((namespace) => client.list(Release, { namespace }).catch(() => []));
  return (await Promise.all(lists)).flat();
}

/** Whether a Pipeline has started a Promotion that has no outcome. */
function isProven({ spec, status }: PromotionObject): boolean {
  return spec.number !== undefined && (status?.phase ?? "Proving") === "Proving";
}

function proofOf(
  { metadata, spec, status }: PromotionObject,
  {
    stage,
    views,
    clock,
  }: {
    readonly stage: Stage;
    readonly views: ReadonlyMap<string, ReleaseView>;
    readonly clock: KindClock;
  },
) {
  const releases = agreedReleases(stage, { releases: views });
  // Without Releases the proof would be wrong.
  if (releases.size === 0) return undefined;
  const { name, uid, creationTimestamp: createdAt = "1970-01-01T00:00:00Z" } = metadata;
  const { verifications, lateSince } = status ?? {};
  const promotion = { name, uid, createdAt, spec, verifications, lateSince };
  return proofOfStage(promotion, { stage, releases, clock });
}

/** Adds the deployed commit of stages that prove a target: until the outcome, their status contains the commit before. */
function withRunning(
  pipeline: PipelineObject,
  stages: readonly Stage[],
  views: ReadonlyMap<string, ReleaseView>,
): PipelineObject {
  if (pipeline.status?.stages === undefined) return pipeline;
  const shown = pipeline.status.stages.map((status) => {
    const stage = stages.find(({ name }) => name === status.name);
    if (status.phase !== "Proving" || stage === undefined) return status;
    const world = { releases: views };
    const [revision, ...others] = new Set(
      stage.keys.map((key) => agreedRelease(key, { stage, world })?.deployed?.revision),
    );
    const { running = { proven: false } } = status;
    if (revision === undefined || others.length > 0 || revision === running.revision) return status;
    return { ...status, running: { revision, proven: false } };
  });
  return { ...pipeline, status: { ...pipeline.status, stages: shown } };
}
