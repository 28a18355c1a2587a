import { setTimeout as sleep } from "node:timers/promises";
import { install } from "../../../test/cluster/install.ts";
import { onCluster, print, stopSignal } from "../../../test/random-runs.ts";
import { parseCount, parseNumber, testProgram } from "../../program-options.ts";
import { createDeliveryFixture, type DeliveryFixture } from "./delivery-fixture.ts";
import { findUnfinished } from "./find-unfinished.ts";
import { createPipelineSetup } from "./pipeline-setup.ts";
import type { Act } from "./points.ts";

// `writesOf` in points.ts has the results.

/** The order of actions. A revert follows a push to all stages, which causes the most work. */
const order: readonly Act[] = [
  "push all",
  "push a revert",
  "push staging",
  "push prod",
  "go back",
  "push nothing",
];

interface RecordOptions {
  readonly rounds: number;
  readonly seed: number;
}

const options = testProgram(
  "node rig/faults/pipelines/record.ts",
  "Counts the writes of each action with an operator that is not killed.",
)
  .option("--rounds <n>", "number of repetitions of each action", parseCount, 3)
  .option("--seed <number>", "seed of the proxy", parseNumber, 1)
  .parse()
  .opts<RecordOptions>();
const signal = stopSignal();
await onCluster("record", async (cluster) => {
  await install(cluster);
  const shared = await createPipelineSetup(cluster);
  const fixture = await createDeliveryFixture(shared, options.seed);
  try {
    fixture.operator.start();
    await untilFinished(fixture);
    const counts = new Map<Act, number[]>();
    for (let round = 0; round < options.rounds; round += 1) {
      for (const act of order) {
        if (signal.aborted) return;
        const writes = await countWrites(fixture, act);
        counts.set(act, [...(counts.get(act) ?? []), writes]);
        print(`${act}: ${writes}`);
      }
    }
    for (const [act, all] of counts) print(`${act}: ${all.toSorted((a, b) => a - b).join(", ")}`);
  } finally {
    await fixture.close();
    await shared.close();
  }
});

/** Counts the writes of an action until all work is done, as in a point. */
async function countWrites(fixture: DeliveryFixture, act: Act): Promise<number> {
  let writes = 0;
  fixture.onWrite = () => {
    writes += 1;
  };
  await fixture.perform([act]);
  await untilFinished(fixture);
  fixture.onWrite = undefined;
  return writes;
}

async function untilFinished(fixture: DeliveryFixture): Promise<void> {
  // The operator observes an action with a delay, so the state before it must not count as finished.
  let isQuiet = false;
  while (!signal.aborted) {
    await sleep(150);
    await fixture.actAsUsers();
    const isDone = (await findUnfinished(fixture)).length === 0;
    if (isDone && isQuiet) return;
    isQuiet = isDone;
  }
}
