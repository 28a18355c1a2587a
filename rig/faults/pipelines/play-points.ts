import { setTimeout as sleep } from "node:timers/promises";
import { ConfigMap } from "../../../crds/core-kinds.ts";
import { Pipeline } from "../../../crds/pipeline.ts";
import { killDuring } from "../kill-during.ts";
import type { PlayedPoints, PlayPointsOptions } from "../kill-suite.ts";
import type { World } from "../world.ts";
import { readAcceptedWrites } from "./accepted-writes.ts";
import { checkWrites } from "./check-writes.ts";
import { createDeliveryScene, type DeliveryScene, soakMs } from "./delivery-scene.ts";
import { findLeft, findUnfinished } from "./find-unfinished.ts";
import { describePoint, type KillPoint } from "./points.ts";

/** Maximum time until convergence: enough for a busy machine, and for the garbage collector, which discovers kinds every 30 s. */
const convergeMs = 180_000;
/** Longer times are reported. */
const slowMs = 30_000;
/** Maximum time of the work. Then the operator is killed. */
const longestActMs = 60_000;

/** Runs one point after the other in one scene, then deletes the Pipeline, and checks all writes of the operator. */
export async function playPoints(world: World, options: PlayPointsOptions<KillPoint>): Promise<PlayedPoints> {
  const { seed, points, onPoint = () => undefined, signal } = options;
  const scene = await createDeliveryScene(world, seed);
  const violations: string[] = [];
  let [played, midway] = [0, 0];
  try {
    scene.operator.start();
    for (const point of points) {
      if (signal?.aborted || violations.length > 0) break;
      if (await killAt(scene, point)) midway += 1;
      await scene.perform(point.whileDown);
      scene.operator.start();
      const { differences, tookMs, last } = await untilFinished(scene, () => findUnfinished(scene));
      const slow = tookMs > slowMs ? `, waiting for: ${last.slice(0, 500)}` : "";
      const text = `${describePoint(point)} → ${(tookMs / 1_000).toFixed(1)} s${slow}`;
      violations.push(...differences.map((one) => `seed ${seed}, ${text}: ${one}`));
      played += 1;
      onPoint(text);
    }
    if (violations.length === 0) violations.push(...(await deletePipeline(scene)));
    violations.push(...(await checkAllWrites(scene)).map((one) => `seed ${seed}: ${one}`));
    return { seed, points: played, midway, violations, log: scene.operator.log };
  } finally {
    await scene.close();
  }
}

/** Kills the operator at a point. Returns whether it was working. */
async function killAt(
  scene: DeliveryScene,
  { acts, atWrite, isBefore, afterMs }: KillPoint,
): Promise<boolean> {
  return await killDuring({
    ...{ operator: scene.operator, atWrite, afterMs, longestMs: longestActMs },
    listen: (onWrite) => {
      scene.onWrite = onWrite;
    },
    onHit: () => {
      scene.losesWrite = isBefore;
    },
    act: () => scene.perform(acts),
    isDone: async () => {
      await scene.attend();
      return (await findUnfinished(scene)).length === 0;
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
  scene: DeliveryScene,
  find: () => Promise<readonly string[]>,
): Promise<Convergence> {
  const started = performance.now();
  for (let last = ""; ; ) {
    const differences = await find();
    const tookMs = performance.now() - started;
    if (differences.length === 0 || tookMs > convergeMs) return { differences, tookMs, last };
    last = differences.join("; ");
    await scene.attend();
    await sleep(150);
  }
}

async function deletePipeline(scene: DeliveryScene): Promise<readonly string[]> {
  await scene.world.api.delete(Pipeline, scene.namespace, "shop");
  const { differences } = await untilFinished(scene, () => findLeft(scene));
  return differences.map((one) => `when the Pipeline was deleted in the end: ${one}`);
}

/** Checks the writes of the operator, in the order of the API server's audit log. */
async function checkAllWrites({
  world,
  namespace,
  audit,
  bodies,
  truth,
  approved,
}: DeliveryScene): Promise<readonly string[]> {
  // A request is logged shortly after its response. Earlier requests are in the log when a later one is.
  const mark = `mark-${crypto.randomUUID()}`;
  await world.api.patch(ConfigMap, namespace, mark, {});
  let audited = await audit.read(namespace);
  while (!audited.some(({ objectRef }) => objectRef?.name === mark)) {
    await sleep(50);
    audited = await audit.read(namespace);
  }
  const writes = readAcceptedWrites(audited, bodies);
  return checkWrites({ writes, commits: truth.commits, approved, soakMs });
}
