import { setTimeout as sleep } from "node:timers/promises";
import { ConfigMap } from "../../../crds/core-kinds.ts";
import { Pipeline } from "../../../crds/pipeline.ts";
import { killDuring } from "../kill-during.ts";
import type { PointsResult, RunPointsOptions } from "../kill-suite.ts";
import type { SharedSetup } from "../shared-setup.ts";
import { readAcceptedWrites } from "./accepted-writes.ts";
import { checkWrites } from "./check-writes.ts";
import { createDeliveryFixture, type DeliveryFixture, soakMs } from "./delivery-fixture.ts";
import { findLeft, findUnfinished } from "./find-unfinished.ts";
import { describePoint, type KillPoint } from "./points.ts";

/** Maximum time until convergence: enough for a busy machine, and for the garbage collector, which discovers kinds every 30 s. */
const convergeMs = 180_000;
/** Longer times are reported. */
const slowMs = 30_000;
/** Maximum time of the work. Then the operator is killed. */
const longestActMs = 60_000;

/** Runs one point after the other in one fixture, then deletes the Pipeline, and checks all writes of the operator. */
export async function runPoints(
  shared: SharedSetup,
  options: RunPointsOptions<KillPoint>,
): Promise<PointsResult> {
  const { seed, points, onPoint = () => undefined, signal } = options;
  const fixture = await createDeliveryFixture(shared, seed);
  const violations: string[] = [];
  let [done, midway] = [0, 0];
  try {
    fixture.operator.start();
    for (const point of points) {
      if (signal?.aborted || violations.length > 0) break;
      if (await killAt(fixture, point)) midway += 1;
      await fixture.perform(point.whileDown);
      fixture.operator.start();
      const { differences, tookMs, last } = await untilFinished(fixture, () => findUnfinished(fixture));
      const slow = tookMs > slowMs ? `, waiting for: ${last.slice(0, 500)}` : "";
      const text = `${describePoint(point)} → ${(tookMs / 1_000).toFixed(1)} s${slow}`;
      violations.push(...differences.map((one) => `seed ${seed}, ${text}: ${one}`));
      done += 1;
      onPoint(text);
    }
    if (violations.length === 0) violations.push(...(await deletePipeline(fixture)));
    violations.push(...(await checkAllWrites(fixture)).map((one) => `seed ${seed}: ${one}`));
    return { seed, points: done, midway, violations, log: fixture.operator.log };
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

interface Convergence {
  /** The remaining differences after the maximum time. */
  readonly differences: readonly string[];
  readonly tookMs: number;
  /** The last resolved difference. */
  readonly last: string;
}

/** Waits until the desired state is reached. */
async function untilFinished(
  fixture: DeliveryFixture,
  find: () => Promise<readonly string[]>,
): Promise<Convergence> {
  const started = performance.now();
  for (let last = ""; ; ) {
    const differences = await find();
    const tookMs = performance.now() - started;
    if (differences.length === 0 || tookMs > convergeMs) return { differences, tookMs, last };
    last = differences.join("; ");
    await fixture.actAsUsers();
    await sleep(150);
  }
}

async function deletePipeline(fixture: DeliveryFixture): Promise<readonly string[]> {
  await fixture.shared.api.delete(Pipeline, fixture.namespace, "shop");
  const { differences } = await untilFinished(fixture, () => findLeft(fixture));
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
