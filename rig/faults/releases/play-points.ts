import { setTimeout as sleep } from "node:timers/promises";
import { Release, releaseAnnotations } from "../../../crds/release.ts";
import type { SeenResource } from "../../../test/cluster/story.ts";
import { killDuring } from "../kill-during.ts";
import type { PlayedPoints, PlayPointsOptions } from "../kill-suite.ts";
import type { World } from "../world.ts";
import { findUntracked } from "./find-untracked.ts";
import { describePoint, type KillPoint } from "./points.ts";
import { type ApplyStage, createReleaseStage } from "./release-stage.ts";

/** Maximum time until convergence: enough for a busy machine, and for the garbage collector, which discovers kinds every 30 s. */
const convergeMs = 180_000;
/** Longer times are reported. */
const slowMs = 10_000;
/** Maximum time of the work. Then the operator is killed. */
const longestActMs = 8_000;

/** Runs one point after the other on one stage, then deletes all Releases. */
export async function playPoints(world: World, options: PlayPointsOptions<KillPoint>): Promise<PlayedPoints> {
  const { seed, points, onPoint = () => undefined, signal } = options;
  const stage = await createReleaseStage(world, seed);
  const violations: string[] = [];
  let [played, midway] = [0, 0];
  try {
    stage.operator.start();
    for (const point of points) {
      if (signal?.aborted || violations.length > 0) break;
      if (await killAt(stage, point)) midway += 1;
      await stage.perform(point.whileDown);
      stage.operator.start();
      const { differences, tookMs, last } = await untilTracked(stage);
      const slow = tookMs > slowMs ? `, waiting for: ${last.slice(0, 500)}` : "";
      const text = `${describePoint(point)} → ${(tookMs / 1_000).toFixed(1)} s${slow}`;
      violations.push(...differences.map((one) => `seed ${seed}, ${text}: ${one}`));
      played += 1;
      onPoint(text);
    }
    if (violations.length === 0) violations.push(...(await removeAll(stage)));
    return { seed, points: played, midway, violations, log: stage.operator.log };
  } finally {
    await stage.close();
  }
}

/** Kills the operator at a point. Returns whether it was working. */
async function killAt(stage: ApplyStage, { actions, atWrite, afterMs }: KillPoint): Promise<boolean> {
  return await killDuring({
    ...{ operator: stage.operator, atWrite, afterMs, longestMs: longestActMs },
    listen: (onWrite) => {
      stage.onWrite = onWrite;
    },
    act: () => stage.perform(actions),
    isDone: async () => (await findUntracked(stage)).length === 0,
  });
}

interface Tracking {
  /** The remaining differences after the maximum time. */
  readonly differences: readonly string[];
  readonly tookMs: number;
  /** The last resolved difference. */
  readonly last: string;
}

/** Waits until the desired state is reached. */
async function untilTracked(stage: ApplyStage): Promise<Tracking> {
  const started = performance.now();
  for (let last = ""; ; ) {
    const differences = await findUntracked(stage);
    const tookMs = performance.now() - started;
    if (differences.length === 0 || tookMs > convergeMs) return { differences, tookMs, last };
    last = differences.join("; ");
    await attend(stage);
    await sleep(150);
  }
}

/** Acts as the users: approves held prunes, and creates Releases again that were deleted to be recreated. */
async function attend(stage: ApplyStage): Promise<void> {
  const { world, places, truth, git } = stage;
  const releases = (await world.api.list(Release, places.own)) as readonly SeenResource[];
  const names = new Set(releases.map(({ metadata }) => metadata.name));
  for (const name of truth.releases) if (!names.has(name)) await stage.ask(name);
  for (const { metadata, status } of releases) {
    if (!status?.conditions?.some(({ reason }) => reason === "PruneHeld")) continue;
    const head = await git.head();
    if (metadata.annotations?.[releaseAnnotations.approvePrune] === head) continue;
    const annotations = { [releaseAnnotations.approvePrune]: head };
    await world.api.patch(Release, places.own, metadata.name, { metadata: { annotations } });
  }
}

async function removeAll(stage: ApplyStage): Promise<readonly string[]> {
  const actions = [...stage.truth.releases].map(
    (release) => ({ does: "delete", release, choice: 0 }) as const,
  );
  await stage.perform(actions);
  const { differences } = await untilTracked(stage);
  return differences.map((one) => `when everything was deleted in the end: ${one}`);
}
