import type { KindContext } from "../../crds/kind-context.ts";
import type { CommitSpan } from "../../crds/kind-source.ts";
import type { Observed } from "../../crds/observed.ts";
import type { PipelineRecord, PipelineResource } from "../../crds/pipeline.ts";
import { requestToStart, resolveRequest } from "./requests.ts";
import { excludesAuthors, readStagesIfValid, type Stage } from "./shape.ts";
import { spanOf } from "./stage-span.ts";
import { startable } from "./startable.ts";
import { historyOf, type PipelineWorld, readWorld } from "./world.ts";

/**
 * The spans of commits whose authors a Pipeline needs: for each stage with `notAuthor`, the commits that a Promotion would
 * add. None without such a stage. Pure.
 */
export function spansOfPipeline(
  state: KindContext<Partial<PipelineRecord>> & {
    readonly resource: PipelineResource;
    readonly observed: Observed;
  },
): readonly CommitSpan[] {
  const { spec, metadata } = state.resource;
  const { namespace = "" } = metadata;
  if (readStagesIfValid(spec, { namespace })?.some(excludesAuthors) !== true) return [];
  const world = readWorld({ ...state, source: undefined });
  const spans = world.stages
    .filter(excludesAuthors)
    .flatMap((stage) =>
      targetsOf(stage, world).map((revision, rank) => ({ rank, span: spanOf(revision, { stage, world }) })),
    );
  // The number of spans that are read is limited, so request the next target of each stage before older candidates.
  return spans.toSorted((a, b) => a.rank - b.rank).map(({ span }) => span);
}

/** The commits that a stage could start next. */
function targetsOf(stage: Stage, world: PipelineWorld): readonly string[] {
  const history = historyOf(world, stage);
  const at = { stage, world, history };
  const request = requestToStart(at);
  if (request === undefined) return [...startable(at).map(({ plan }) => plan.revision)];
  if (request.spec.bypass?.includes("Approvals") === true) return [];
  const resolved = resolveRequest(request, at);
  return "target" in resolved ? [resolved.target.revision] : [];
}
