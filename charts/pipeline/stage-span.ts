import type { CommitSpan, KindSource, SpanAuthors } from "../../crds/kind-source.ts";
import { agreedRelease } from "./release-problems.ts";
import type { Stage } from "./shape.ts";
import { historyOf, type PipelineWorld } from "./world.ts";

/** A stage, and the input of its decisions. */
interface StageIn {
  readonly stage: Stage;
  readonly world: PipelineWorld;
}

/** The commits that a stage would add with a commit: those since the last commit that it passed or runs. Pure. */
export function spanOf(until: string, { stage, world }: StageIn): CommitSpan {
  const runs = deployedIn({ stage, world });
  // Ignore a commit that was promoted but never applied.
  const last = historyOf(world, stage).started.findLast(
    ({ spec, passedAt }) => passedAt !== undefined || spec.revision === runs,
  );
  const since = last?.spec.revision ?? runs;
  return { ...(since !== undefined && { since }), until };
}

/** The commit that a stage runs; undefined: its Releases run nothing, or different commits. */
function deployedIn({ stage, world }: StageIn): string | undefined {
  const revisions = new Set(
    stage.keys.map((key) => agreedRelease(key, { stage, world })?.deployed?.revision),
  );
  const [revision] = revisions;
  return revisions.size === 1 ? revision : undefined;
}

/** The authors of a span; undefined: the source of the Pipeline is not known. Pure. */
export function authorsIn(source: KindSource | undefined, span: CommitSpan): SpanAuthors | undefined {
  if (source === undefined) return undefined;
  if (source.state === "failed") return { ...span, state: "failed", message: source.message };
  const spans = source.state === "ready" ? (source.spans ?? []) : [];
  const found = spans.find(({ since, until }) => since === span.since && until === span.until);
  return found ?? { ...span, state: "pending" };
}
