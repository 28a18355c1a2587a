import type { PromotionResource } from "../../crds/promotion.ts";
import type { StoredObject } from "../release/api-client.ts";
import { shortCommit } from "../release/release-object.ts";
import { labelOfPipeline, namesOf, type PipelineObject, stageIn } from "./pipeline-object.ts";
import { chooseTarget } from "./stage-target.ts";

/** The target of a manual Promotion. */
export interface RequestedTarget {
  readonly revision: string;
  /** Undefined: the digest of the Releases' plans for the commit. */
  readonly digest?: string;
}

/** Minimum number of digits of a commit's id. A shorter text may be a mistake, such as an unset variable. */
const shortestCommit = 4;
const fullCommit = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/**
 * Chooses the commit to which a stage is promoted. Pure.
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
  if (only !== undefined && found.length === 1) {
    if (revision.length >= shortestCommit) return only;
    throw new Error(
      `Cannot promote to "${revision}": use at least ${shortestCommit} digits of the commit's id`,
    );
  }
  const why =
    found.length === 0
      ? "has no such commit in its status; use the full id"
      : "has several such commits in its status";
  throw new Error(`Cannot promote to "${revision}": Pipeline ${labelOfPipeline(pipeline)} ${why}`);
}

/**
 * Chooses the target of a rollback of a stage: the digest of a given commit, or the last passed digest other than that of
 * the stage's last Promotion. Pure.
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
  const names = namesOf(stageIn(pipeline, stage));
  const attempts = (promotions as readonly unknown[] as readonly PromotionResource[])
    .filter(({ spec }) => spec.pipeline === pipeline.metadata.name && names.has(spec.stage))
    .flatMap(({ spec: { revision: commit, digest, number }, status }): readonly Attempt[] => {
      const { passedAt, failedAt } = status ?? {};
      return digest === undefined ? [] : [{ revision: commit, digest, number, passedAt, failedAt }];
    })
    .toSorted((a, b) => (b.number ?? 0) - (a.number ?? 0) || timeOf(b) - timeOf(a));
  const current = attempts.find(({ number }) => number !== undefined)?.digest;
  const status = pipeline.status?.stages?.find(({ name }) => name === stage);
  // While a stage proves a target, `status.running` may still contain the digest that it ran before.
  const running = status?.phase === "Proving" ? status.promotion?.digest : status?.running?.digest;
  const left = current ?? running;
  // The last outcome of a digest counts.
  const passed = attempts.filter(({ digest, passedAt }) => {
    const last = attempts.find((one) => one.digest === digest && hasEnded(one));
    return passedAt !== undefined && last?.passedAt !== undefined;
  });
  const title = `stage ${stage} of Pipeline ${labelOfPipeline(pipeline)}`;
  if (revision !== undefined && revision.length < shortestCommit)
    throw new Error(`Cannot roll back ${title}: use at least ${shortestCommit} digits of the commit's id`);
  const wanted = passed.filter((one) =>
    revision === undefined ? one.digest !== left : one.revision.startsWith(revision),
  );
  if (revision !== undefined && new Set(wanted.map((one) => one.revision)).size > 1)
    throw new Error(
      `Cannot roll back ${title}: several commits that have passed it begin with "${revision}"; use more digits`,
    );
  const [found] = wanted;
  if (found !== undefined) return { revision: found.revision, digest: found.digest };
  const known = [...new Set(passed.map((one) => shortCommit(one.revision)))];
  const list = known.length === 0 ? "no commit has passed it" : `passed: ${known.join(", ")}`;
  const what =
    revision === undefined ? "no other digest has passed it" : `"${revision}" has not passed it (${list})`;
  throw new Error(`Cannot roll back ${title}: ${what}`);
}

/** A Promotion of a stage to a digest, and its outcome. */
interface Attempt extends Required<RequestedTarget> {
  readonly number: number | undefined;
  readonly passedAt: string | undefined;
  readonly failedAt: string | undefined;
}

function hasEnded({ passedAt, failedAt }: Attempt): boolean {
  return passedAt !== undefined || failedAt !== undefined;
}

function timeOf({ passedAt, failedAt }: Attempt): number {
  return Date.parse(passedAt ?? failedAt ?? "") || 0;
}
