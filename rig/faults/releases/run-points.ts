import { Release, releaseAnnotations } from "../../../crds/release.ts";
import type { SeenResource } from "../../../test/cluster/harness.ts";
import { killDuring } from "../kill-during.ts";
import { killAtPoints, untilConverged } from "../kill-points.ts";
import type { PointsResult, RunPointsOptions } from "../kill-suite.ts";
import type { SharedSetup } from "../shared-setup.ts";
import { findUntracked } from "./find-untracked.ts";
import { describePoint, type KillPoint } from "./points.ts";
import { createReleaseFixture, type ReleaseFixture } from "./release-fixture.ts";

/** Longer times are reported. */
const slowMs = 10_000;
/** Maximum time of the work. Then the operator is killed. */
const longestActMs = 8_000;

/** Runs one point after the other on one fixture, then deletes all Releases. */
export async function runPoints(
  shared: SharedSetup,
  options: RunPointsOptions<KillPoint>,
): Promise<PointsResult> {
  const fixture = await createReleaseFixture(shared, options.seed);
  const convergence = {
    findDifferences: () => findUntracked(fixture),
    actAsUsers: () => actAsUsers(fixture),
  };
  try {
    const result = await killAtPoints(options, {
      ...convergence,
      ...{ operator: fixture.operator, slowMs, describe: describePoint },
      killAt: (point) => killAt(fixture, point),
      actWhileDown: ({ whileDown }) => fixture.perform(whileDown),
    });
    if (result.violations.length > 0) return result;
    await removeAll(fixture);
    const { differences } = await untilConverged(convergence);
    return { ...result, violations: differences.map((one) => `after all Releases were deleted: ${one}`) };
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

async function removeAll(fixture: ReleaseFixture): Promise<void> {
  const actions = [...fixture.desired.releases].map(
    (release) => ({ does: "delete", release, choice: 0 }) as const,
  );
  await fixture.perform(actions);
}
