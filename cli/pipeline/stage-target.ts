import type { Candidate, StageStatus } from "../../crds/pipeline-status.ts";
import { Release } from "../../crds/release.ts";
import { shortId } from "../../crds/short-id.ts";
import { stageDigestOf } from "../../crds/stage-digest.ts";
import { ApiUnavailableError } from "../../operator/errors.ts";
import type { ApiClient } from "../release/api-client.ts";
import { printable } from "../release/columns.ts";
import { type ReleaseObject, shortCommit } from "../release/release-object.ts";
import { labelOfPipeline, type PipelineObject, stageIn } from "./pipeline-object.ts";

/** A candidate for a stage. */
export interface StageTarget {
  readonly revision: string;
  readonly digest: string;
  /** First line of the commit's message, and its author. Undefined: the commit is not in the Pipeline's status. */
  readonly commit: { readonly subject: string; readonly author: string } | undefined;
  /** The gates that are closed for this candidate, for users. */
  readonly waits: readonly string[];
  /** Whether the stage runs this digest, so that nothing waits for a decision. */
  readonly isRunning: boolean;
}

/**
 * Finds the candidate of a stage for a decision: the one that the stage would start next, or the one with a digest.
 * Pure.
 *
 * @param digest Digest of the stage, or a prefix of it.
 * @throws Error with a message for users, if there is no such candidate, or more than one.
 */
export function chooseTarget(pipeline: PipelineObject, stage: string, digest?: string): StageTarget {
  const { releases } = stageIn(pipeline, stage);
  const title = `stage ${stage} of Pipeline ${labelOfPipeline(pipeline)}`;
  const status = pipeline.status?.stages?.find(({ name }) => name === stage);
  const { next } = status ?? {};
  const candidates = pipeline.status?.candidates ?? [];
  const targetOf = (target: { readonly revision: string; readonly digest: string }): StageTarget => {
    // One that was added again for a request has no subject.
    const commit = candidates.find(({ revision, subject }) => revision === target.revision && subject !== "");
    const isNext = next?.digest === target.digest;
    const isRunning = !isNext && status?.running?.digest === target.digest;
    return { ...target, commit, waits: isNext ? waitsOf(status) : [], isRunning };
  };
  if (digest === undefined) {
    if (next === undefined) {
      const waits = waitsOf(status);
      const why = waits.length === 0 ? ": no commit waits for it" : ` yet: ${waits.join("; ")}`;
      const pipelineCommand = `npx fairlead pipeline ${labelOfPipeline(pipeline)}`;
      throw new Error(
        printable(`There is no candidate for ${title}${why}. To see all stages: ${pipelineCommand}`),
      );
    }
    return targetOf(next);
  }
  const keys = releases.map(({ name, namespace = pipeline.metadata.namespace }) => ({ name, namespace }));
  const planned = candidates.flatMap((candidate) => {
    const of = digestOf(candidate, keys);
    return of === undefined ? [] : [{ revision: candidate.revision, digest: of }];
  });
  const known = [...(next === undefined ? [] : [next]), ...planned.toReversed()];
  const found = known.filter((one) => one.digest.startsWith(digest));
  const [first] = found;
  if (first === undefined) throw new Error(`No plan of ${title} has the digest ${digest}`);
  if (new Set(found.map((one) => one.digest)).size > 1)
    throw new Error(`The digest ${digest} of ${title} is not unique: use more digits of it`);
  if (digest.length < shortestDigest)
    throw new Error(`Cannot use the digest "${digest}": use at least ${shortestDigest} digits of it`);
  return targetOf(first);
}

/** Minimum number of digits of a digest. A shorter prefix could match a commit that the user has not seen. */
const shortestDigest = 8;

function waitsOf(status: StageStatus | undefined): readonly string[] {
  return (status?.waiting ?? []).map((gate) => `${gate.gate}: ${messageOf(gate, status?.next)}`);
}

/** The message of a gate without the commit and the digest at its start, for a text that contains both already. Pure. */
export function messageOf(
  { message }: { readonly message: string },
  next: { readonly revision: string; readonly digest: string } | undefined,
): string {
  if (next === undefined) return message;
  const commit = shortId(next.revision);
  const start = [`${commit}, digest ${next.digest}: `, `${commit}: `].find((one) => message.startsWith(one));
  return start === undefined ? message : message.slice(start.length);
}

/** Digest of a stage with a candidate; undefined: one of its Releases has no plan. */
function digestOf(
  { releases }: Candidate,
  keys: readonly { readonly name: string; readonly namespace: string }[],
): string | undefined {
  const digests = keys.map((key) => ({
    ...key,
    digest: releases.find(({ release }) => release === `${key.namespace}/${key.name}`)?.digest ?? "",
  }));
  return digests.some(({ digest }) => digest === "") ? undefined : stageDigestOf(digests);
}

/** The change of one Release of a stage, in one line. */
export interface ReleaseChange {
  /** `namespace/name`. */
  readonly release: string;
  readonly text: string;
}

/** Reads the changes that a commit would make in each Release of a stage. */
export async function readChanges(
  pipeline: PipelineObject,
  { stage, revision }: { readonly stage: string; readonly revision: string },
  client: Pick<ApiClient, "read">,
): Promise<readonly ReleaseChange[]> {
  const { releases } = stageIn(pipeline, stage);
  return await Promise.all(
    releases.map(async ({ name, namespace = pipeline.metadata.namespace }) => {
      const release = `${namespace}/${name}`;
      try {
        const found = (await client.read(Release, { name, namespace })) as ReleaseObject | undefined;
        return { release, text: describeChange(found, revision) };
      } catch (error) {
        // The right to approve a stage does not include the right to read its namespaces.
        if (!(error instanceof ApiUnavailableError) || error.status !== 403) throw error;
        return { release, text: "you may not read it, so its changes are not shown" };
      }
    }),
  );
}

/** The plan of a commit in the status of a Release that does not run it. */
interface PlannedStatus {
  readonly deployed?: { readonly revision: string; readonly digest?: string };
  readonly next?: {
    readonly revision: string;
    readonly digest?: string;
    readonly create?: number;
    readonly change?: number;
    readonly delete?: number;
    readonly held?: number;
    readonly mutableImages?: number;
    readonly error?: string;
  };
}

/** Describes the changes that a commit would make in a Release. Pure. */
export function describeChange(release: ReleaseObject | undefined, revision: string): string {
  if (release === undefined) return "does not exist";
  const { next, deployed } = (release.status ?? {}) as PlannedStatus;
  if (next === undefined || next.revision !== revision)
    return deployed?.revision === revision ? "runs it" : "has no plan of it; it may not change this Release";
  const { create = 0, change = 0, delete: removed = 0, held = 0, mutableImages = 0, error, digest } = next;
  if (error !== undefined) return `cannot be planned: ${printable(error)}`;
  if (digest !== undefined && digest === deployed?.digest) return "no change";
  const parts = [
    `${create} to create, ${change} to change, ${removed} to delete`,
    ...(held === 0 ? [] : [`${held} more to delete once the prune is approved`]),
    ...(mutableImages === 0
      ? []
      : [`${mutableImages} ${mutableImages === 1 ? "image" : "images"} without a digest`]),
  ];
  return parts.join("; ");
}

/** Describes a candidate in one line: `1a2b3c4d5e (Fix the cart, ada)`. Pure. */
export function describeTarget({ revision, commit }: Pick<StageTarget, "revision" | "commit">): string {
  return printable(
    `${shortCommit(revision)}${commit === undefined ? "" : ` (${commit.subject}, ${commit.author})`}`,
  );
}
