import type { PromotionResource } from "../../crds/promotion.ts";
import type { StoredObject } from "../release/api-client.ts";
import { shortCommit } from "../release/release-object.ts";
import { labelOfPipeline, type PipelineObject, stageIn } from "./pipeline-object.ts";
import { chooseTarget } from "./stage-target.ts";

/** The target of a manual Promotion. */
export interface RequestedTarget {
  readonly revision: string;
  /** Undefined: the digest of the Releases' plans for the commit. */
  readonly digest?: string;
}

const fullCommit = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/**
 * The commit that a stage is to be promoted to. Pure.
 *
 * @param revision Id of a commit, or a prefix of one in the Pipeline's status. Undefined: the commit that the stage
 * starts next.
 * @throws Error with a message for users.
 */
export function choosePromotion(
  pipeline: PipelineObject,
  stage: string,
  revision: string | undefined,
): RequestedTarget {
  stageIn(pipeline, stage);
  if (revision === undefined) {
    const { revision: next, digest } = chooseTarget(pipeline, stage);
    return { revision: next, digest };
  }
  return { revision: completeCommit(pipeline, revision) };
}

function completeCommit(pipeline: PipelineObject, revision: string): string {
  if (fullCommit.test(revision)) return revision;
  const { candidates = [], head } = pipeline.status ?? {};
  const known = new Set([
    ...candidates.map((one) => one.revision),
    ...(head === undefined ? [] : [head.revision]),
  ]);
  const found = [...known].filter((one) => one.startsWith(revision));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const why =
    found.length === 0
      ? "has no such commit in its status; use the full id"
      : "has several such commits in its status";
  throw new Error(`Cannot promote to "${revision}": Pipeline ${labelOfPipeline(pipeline)} ${why}`);
}

/**
 * The target of a rollback of a stage: the last passed digest that the stage does not run, or the digest of a commit.
 * Pure.
 *
 * @param promotions All Promotions of the namespace.
 * @throws Error with a message for users.
 */
export function chooseRollback(
  pipeline: PipelineObject,
  stage: string,
  {
    promotions,
    revision,
  }: { readonly promotions: readonly StoredObject[]; readonly revision: string | undefined },
): Required<RequestedTarget> {
  stageIn(pipeline, stage);
  const current = pipeline.status?.stages?.find(({ name }) => name === stage);
  // The status of a stage that proves something keeps what it ran before.
  const running = current?.phase === "Proving" ? current.promotion?.digest : current?.running?.digest;
  const passed = (promotions as readonly unknown[] as readonly PromotionResource[])
    .flatMap(({ spec, status }) =>
      spec.pipeline === pipeline.metadata.name && spec.stage === stage && status?.passedAt !== undefined
        ? [{ revision: spec.revision, digest: spec.digest ?? "", at: status.passedAt }]
        : [],
    )
    .filter(({ digest }) => digest !== "")
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  const title = `stage ${stage} of Pipeline ${labelOfPipeline(pipeline)}`;
  const wanted = passed.filter((one) =>
    revision === undefined ? one.digest !== running : one.revision.startsWith(revision),
  );
  const [found] = wanted;
  if (found !== undefined) return { revision: found.revision, digest: found.digest };
  const known = [...new Set(passed.map((one) => shortCommit(one.revision)))];
  const list = known.length === 0 ? "no commit has passed it" : `passed: ${known.join(", ")}`;
  const what =
    revision === undefined ? "no other digest has passed it" : `"${revision}" has not passed it (${list})`;
  throw new Error(`Cannot roll back ${title}: ${what}`);
}
