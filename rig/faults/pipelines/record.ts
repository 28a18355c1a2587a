import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { install } from "../../../test/cluster/install.ts";
import { onCluster, print, stopSignal } from "../../../test/stages.ts";
import { createDeliveryScene, type DeliveryScene } from "./delivery-scene.ts";
import { findUnfinished } from "./find-unfinished.ts";
import { createPipelineWorld } from "./pipeline-world.ts";
import type { Act } from "./points.ts";

// Counts the writes of each action with an operator that is not killed. `writesOf` in points.ts has the results.

/** The order of actions. A revert follows a push to all stages, which causes the most work. */
const order: readonly Act[] = [
  "push all",
  "push a revert",
  "push staging",
  "push prod",
  "go back",
  "push nothing",
];

const { values } = parseArgs({
  options: {
    /** Number of repetitions of each action. */
    rounds: { type: "string", default: "3" },
    seed: { type: "string", default: "1" },
  },
});
const signal = stopSignal();
await onCluster("record", async (cluster) => {
  await install(cluster);
  const world = await createPipelineWorld(cluster);
  const scene = await createDeliveryScene(world, Number(values.seed));
  try {
    scene.operator.start();
    await untilFinished(scene);
    const counts = new Map<Act, number[]>();
    for (let round = 0; round < Number(values.rounds); round += 1) {
      for (const act of order) {
        if (signal.aborted) return;
        const writes = await countWrites(scene, act);
        counts.set(act, [...(counts.get(act) ?? []), writes]);
        print(`${act}: ${writes}`);
      }
    }
    for (const [act, all] of counts) print(`${act}: ${all.toSorted((a, b) => a - b).join(", ")}`);
  } finally {
    await scene.close();
    await world.close();
  }
});

/** Counts the writes of an action until all work is done, as in a point. */
async function countWrites(scene: DeliveryScene, act: Act): Promise<number> {
  let writes = 0;
  scene.onWrite = () => {
    writes += 1;
  };
  await scene.perform([act]);
  await untilFinished(scene);
  scene.onWrite = undefined;
  return writes;
}

async function untilFinished(scene: DeliveryScene): Promise<void> {
  // The operator observes an action with a delay, so the state before it must not count as finished.
  let isQuiet = false;
  while (!signal.aborted) {
    await sleep(150);
    await scene.attend();
    const isDone = (await findUnfinished(scene)).length === 0;
    if (isDone && isQuiet) return;
    isQuiet = isDone;
  }
}
