import type { CommitSpan, KindSource, SpanAuthors } from "../../crds/kind-source.ts";
import { agreedRelease } from "./release-problems.ts";
import type { Stage } from "./shape.ts";
import { historyOf, type PipelineWorld } from "./world.ts";

/** A stage, and the input of its decisions. */
interface StageIn {
  readonly stage: Stage;
  readonly world: PipelineWorld;
}

/** The commits that a target would add to a stage: those since the current target. Pure. */
export function spanOf(until: string, { stage, world }: StageIn): CommitSpan {
  const since = historyOf(world, stage).current?.spec.revision ?? deployedIn({ stage, world });
  return { ...(since !== undefined && { since }), until };
}

/** The commit that a stage without a Promotion runs; undefined: its Releases run nothing, or different commits. */
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
