import { toMilliseconds } from "../../crds/duration.ts";
import type { KindClock } from "../../crds/kind-context.ts";
import type { GitSource, SourceContext } from "../../crds/kind-source.ts";
import type { LiveObject } from "../../crds/object.ts";
import type { Observed } from "../../crds/observed.ts";
import type { PipelineRecord, PipelineResource } from "../../crds/pipeline.ts";
import type { PipelineCommit } from "../../crds/pipeline-status.ts";
import { planCandidates } from "./plan-candidates.ts";
import { readStagesIfValid } from "./shape.ts";
import { shortenText } from "./stored-text.ts";
import { readWorld } from "./world.ts";

/** Computes the next record of a Pipeline. Pure. */
export function foldPipeline(
  previous: Partial<PipelineRecord>,
  {
    resource,
    observed,
    clock,
    source,
  }: SourceContext & {
    readonly resource: PipelineResource;
    readonly observed: Observed;
    readonly clock: KindClock;
  },
): PipelineRecord {
  const { namespace = "" } = resource.metadata;
  if (readStagesIfValid(resource.spec, { namespace }) === undefined) return previous;
  const world = readWorld({ resource, observed, record: previous, clock, source });
  return planCandidates(world, commitOf(source));
}

const mostSubjectBytes = 400;
const mostAuthorBytes = 200;

/** The newest commit that changes the folder; undefined: not known at the moment. */
function commitOf(source: SourceContext["source"]): PipelineCommit | undefined {
  if (source?.state !== "ready") return undefined;
  const { id: revision, subject, author, committedAt } = source.changed;
  return {
    revision,
    subject: shortenText(subject, mostSubjectBytes),
    author: shortenText(author, mostAuthorBytes),
    committedAt,
    tree: source.tree,
  };
}

/** The source of a Pipeline; undefined: its spec does not contain one. Pure. */
export function sourceOfPipeline({ spec }: Pick<PipelineResource, "spec">): GitSource | undefined {
  if (spec?.source?.url === undefined) return undefined;
  const { url, ref, path, secretRef, verify } = spec.source;
  return { url, ref, path, secretRef, verify, intervalMs: toMilliseconds(spec.interval ?? "1m") };
}

/** The key in the index by which a Pipeline finds its Promotions and Releases. Pure. */
export function keyOfPipelineIn({ metadata, spec }: LiveObject): string | undefined {
  const { pipeline } = (spec ?? {}) as { readonly pipeline?: string };
  return pipeline === undefined ? undefined : `${metadata.namespace}/${pipeline}`;
}
