import { setTimeout as sleep } from "node:timers/promises";
import { ConfigMap } from "../../../crds/core-kinds.ts";
import { Pipeline } from "../../../crds/pipeline.ts";
import { killDuring } from "../kill-during.ts";
import { killAtPoints, untilConverged } from "../kill-points.ts";
import type { PointsResult, RunPointsOptions } from "../kill-suite.ts";
import type { SharedSetup } from "../shared-setup.ts";
import { readAcceptedWrites } from "./accepted-writes.ts";
import { checkWrites } from "./check-writes.ts";
import { createDeliveryFixture, type DeliveryFixture, soakMs } from "./delivery-fixture.ts";
import { findLeft, findUnfinished } from "./find-unfinished.ts";
import { describePoint, type KillPoint } from "./points.ts";

/** Longer times are reported. */
const slowMs = 30_000;
/** Maximum time of the work. Then the operator is killed. */
const longestActMs = 60_000;

/** Runs one point after the other in one fixture, then deletes the Pipeline, and checks all writes of the operator. */
export async function runPoints(
  shared: SharedSetup,
  options: RunPointsOptions<KillPoint>,
): Promise<PointsResult> {
  const { seed } = options;
  const fixture = await createDeliveryFixture(shared, seed);
  try {
    const result = await killAtPoints(options, {
      ...{ operator: fixture.operator, slowMs, describe: describePoint },
      killAt: (point) => killAt(fixture, point),
      actWhileDown: ({ whileDown }) => fixture.perform(whileDown),
      findDifferences: () => findUnfinished(fixture),
      actAsUsers: () => fixture.actAsUsers(),
    });
    const left = result.violations.length === 0 ? await deletePipeline(fixture) : [];
    const wrong = (await checkAllWrites(fixture)).map((one) => `seed ${seed}: ${one}`);
    return { ...result, violations: [...result.violations, ...left, ...wrong] };
  } finally {
    await fixture.close();
  }
}

/** Kills the operator at a point. Returns whether it was working. */
async function killAt(
  fixture: DeliveryFixture,
  { acts, atWrite, isBefore, afterMs }: KillPoint,
): Promise<boolean> {
  return await killDuring({
    ...{ operator: fixture.operator, atWrite, afterMs, longestMs: longestActMs },
    listen: (onWrite) => {
      fixture.onWrite = onWrite;
    },
    onHit: () => {
      fixture.losesWrite = isBefore;
    },
    act: () => fixture.perform(acts),
    isDone: async () => {
      await fixture.actAsUsers();
      return (await findUnfinished(fixture)).length === 0;
    },
  });
}

async function deletePipeline(fixture: DeliveryFixture): Promise<readonly string[]> {
  await fixture.shared.api.delete(Pipeline, fixture.namespace, "shop");
  const { differences } = await untilConverged({
    findDifferences: () => findLeft(fixture),
    actAsUsers: () => fixture.actAsUsers(),
  });
  return differences.map((one) => `after the Pipeline was deleted: ${one}`);
}

/** Checks the writes of the operator, in the order of the API server's audit log. */
async function checkAllWrites({
  shared,
  namespace,
  audit,
  bodies,
  pushed,
  approved,
}: DeliveryFixture): Promise<readonly string[]> {
  // A request is logged shortly after its response. Earlier requests are in the log when a later one is.
  const mark = `mark-${crypto.randomUUID()}`;
  await shared.api.patch(ConfigMap, namespace, mark, {});
  let audited = await audit.read(namespace);
  while (!audited.some(({ objectRef }) => objectRef?.name === mark)) {
    await sleep(50);
    audited = await audit.read(namespace);
  }
  const writes = readAcceptedWrites(audited, bodies);
  return checkWrites({ writes, commits: pushed.commits, approved, soakMs });
}
