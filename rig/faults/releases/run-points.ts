import { setTimeout as sleep } from "node:timers/promises";
import { Release, releaseAnnotations } from "../../../crds/release.ts";
import type { SeenResource } from "../../../test/cluster/harness.ts";
import { killDuring } from "../kill-during.ts";
import type { PointsResult, RunPointsOptions } from "../kill-suite.ts";
import type { SharedSetup } from "../shared-setup.ts";
import { findUntracked } from "./find-untracked.ts";
import { describePoint, type KillPoint } from "./points.ts";
import { createReleaseFixture, type ReleaseFixture } from "./release-fixture.ts";

/** Maximum time until convergence: enough for a busy machine, and for the garbage collector, which discovers kinds every 30 s. */
const convergeMs = 180_000;
/** Longer times are reported. */
const slowMs = 10_000;
/** Maximum time of the work. Then the operator is killed. */
const longestActMs = 8_000;

/** Runs one point after the other on one fixture, then deletes all Releases. */
export async function runPoints(
  shared: SharedSetup,
  options: RunPointsOptions<KillPoint>,
): Promise<PointsResult> {
  const { seed, points, onPoint = () => undefined, signal } = options;
  const fixture = await createReleaseFixture(shared, seed);
  const violations: string[] = [];
  let [done, midway] = [0, 0];
  try {
    fixture.operator.start();
    for (const point of points) {
      if (signal?.aborted || violations.length > 0) break;
      if (await killAt(fixture, point)) midway += 1;
      await fixture.perform(point.whileDown);
      fixture.operator.start();
      const { differences, tookMs, last } = await untilTracked(fixture);
      const slow = tookMs > slowMs ? `, waiting for: ${last.slice(0, 500)}` : "";
      const text = `${describePoint(point)} → ${(tookMs / 1_000).toFixed(1)} s${slow}`;
      violations.push(...differences.map((one) => `seed ${seed}, ${text}: ${one}`));
      done += 1;
      onPoint(text);
    }
    if (violations.length === 0) violations.push(...(await removeAll(fixture)));
    return { seed, points: done, midway, violations, log: fixture.operator.log };
  } finally {
    await fixture.close();
  }
}

/** Kills the operator at a point. Returns whether it was working. */
async function killAt(fixture: ReleaseFixture, { actions, atWrite, afterMs }: KillPoint): Promise<boolean> {
  return await killDuring({
    ...{ operator: fixture.operator, atWrite, afterMs, longestMs: longestActMs },
    listen: (onWrite) => {
      fixture.onWrite = onWrite;
    },
    act: () => fixture.perform(actions),
    isDone: async () => (await findUntracked(fixture)).length === 0,
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
async function untilTracked(fixture: ReleaseFixture): Promise<Tracking> {
  const started = performance.now();
  for (let last = ""; ; ) {
    const differences = await findUntracked(fixture);
    const tookMs = performance.now() - started;
    if (differences.length === 0 || tookMs > convergeMs) return { differences, tookMs, last };
    last = differences.join("; ");
    await actAsUsers(fixture);
    await sleep(150);
  }
}

/** Acts as the users: approves held prunes, and creates Releases again that were deleted to be recreated. */
async function actAsUsers(fixture: ReleaseFixture): Promise<void> {
  const { shared, places, desired, git } = fixture;
  const releases = (await shared.api.list(Release, places.own)) as readonly SeenResource[];
  const names = new Set(releases.map(({ metadata }) => metadata.name));
  for (const name of desired.releases) if (!names.has(name)) await fixture.createRelease(name);
  for (const { metadata, status } of releases) {
    if (!status?.conditions?.some(({ reason }) => reason === "PruneHeld")) continue;
    const head = await git.head();
    if (metadata.annotations?.[releaseAnnotations.approvePrune] === head) continue;
    const annotations = { [releaseAnnotations.approvePrune]: head };
    await shared.api.patch(Release, places.own, metadata.name, { metadata: { annotations } });
  }
}

async function removeAll(fixture: ReleaseFixture): Promise<readonly string[]> {
  const actions = [...fixture.desired.releases].map(
    (release) => ({ does: "delete", release, choice: 0 }) as const,
  );
  await fixture.perform(actions);
  const { differences } = await untilTracked(fixture);
  return differences.map((one) => `after all Releases were deleted: ${one}`);
}
