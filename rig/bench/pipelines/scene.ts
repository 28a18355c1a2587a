import { untilServed } from "../load/bench-api.ts";
import type { ReleaseRig } from "../releases/release-rig.ts";
import { isReady, type LiveObject, WatchedObjects } from "../releases/watched-objects.ts";
import type { GitFolder } from "../tenants/git-folder.ts";
import { stageNames } from "./pipeline-files.ts";

/** The API of Pipelines and Releases. */
export const group = "/apis/fairlead.dev/v1alpha1";
/** Wait before reading the audit log. It is longer than any work after an edit. */
export const settleMs = 5_000;

export interface Scene {
  readonly rig: ReleaseRig;
  readonly repository: GitFolder;
  readonly pipelines: WatchedObjects;
  readonly deployments: WatchedObjects;
  readonly count: number;
}

export async function openScene(
  rig: ReleaseRig,
  { repository, count, signal }: Pick<Scene, "repository" | "count"> & { readonly signal: AbortSignal },
): Promise<Scene> {
  await untilServed(rig.api, `${group}/pipelines`);
  const [pipelines, deployments] = await Promise.all(
    [`${group}/pipelines`, "/apis/apps/v1/deployments"].map((path) =>
      WatchedObjects.open(rig.api, path, signal),
    ),
  );
  if (pipelines === undefined || deployments === undefined) throw new Error("Cannot watch");
  return { rig, repository, pipelines, deployments, count };
}

/** The fields of a stage that are read here. */
export interface StageSeen {
  readonly name: string;
  readonly phase: string;
  readonly running?: { readonly revision?: string };
  readonly next?: { readonly revision: string; readonly digest: string };
  readonly waiting?: readonly { readonly gate: string }[];
}

export const stagesOf = (pipeline: LiveObject | undefined): readonly StageSeen[] =>
  (pipeline?.status as { readonly stages?: readonly StageSeen[] } | undefined)?.stages ?? [];

/** Whether all stages have passed and run one commit. */
export function isThrough(pipeline: LiveObject | undefined): boolean {
  const stages = stagesOf(pipeline);
  const revisions = new Set(stages.map(({ running }) => running?.revision));
  const havePassed = stages.length === stageNames.length && stages.every(({ phase }) => phase === "Passed");
  return pipeline !== undefined && havePassed && revisions.size === 1 && isReady(pipeline);
}
