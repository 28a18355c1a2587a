import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { install } from "../../../test/cluster/install.ts";
import { keepLog, minutesSince, onCluster, playInLanes, print, stopSignal } from "../../../test/stages.ts";
import { type PlayedPoints, playPoints } from "./play-points.ts";
import { makePoints } from "./points.ts";
import { createReleaseWorld } from "./release-world.ts";

const { values } = parseArgs({
  options: {
    /** Kills in all. */
    points: { type: "string", default: "200" },
    /** The first seed; every stage takes the next one. */
    seed: { type: "string", default: "1" },
    /** Points of one stage, one after the other. */
    length: { type: "string", default: "5" },
    /** Stages at the same time. */
    lanes: { type: "string", default: "3" },
    /** Folder for the logs of what went wrong. */
    out: { type: "string", default: join(tmpdir(), "fairlead-release-kills") },
  },
});

const [points, first, length] = [values.points, values.seed, values.length].map(Number) as [
  number,
  number,
  number,
];
const seeds = Array.from({ length: Math.ceil(points / length) }, (_, index) => first + index);
const left = (index: number): number => Math.min(length, points - index * length);
const stages = seeds.map((seed, index) => ({ seed, points: makePoints(seed, left(index)) }));
const signal = stopSignal();
const started = performance.now();
const played: PlayedPoints[] = [];
await onCluster("kills", async (cluster) => {
  await install(cluster);
  const world = await createReleaseWorld(cluster);
  const play = async (stage: (typeof stages)[number]): Promise<void> => {
    const onPoint = (text: string): void => print(`seed ${stage.seed}, ${text}`);
    const result = await playPoints(world, { ...stage, onPoint, signal });
    played.push(result);
    await report(result);
  };
  try {
    await playInLanes(stages, { lanes: Number(values.lanes), signal, play });
  } finally {
    await world.close();
  }
});
const sum = (count: (one: PlayedPoints) => number): number =>
  played.reduce((all, one) => all + count(one), 0);
const violations = played.flatMap((one) => one.violations);
print(
  `\n${sum((one) => one.points)} kills, ${sum((one) => one.midway)} of them in the middle of writes, in ${minutesSince(started)}: ${violations.length === 0 ? "every object was tracked" : `${violations.length} VIOLATIONS`}`,
);
process.exit(violations.length === 0 && sum((one) => one.points) === points ? 0 : 1);

async function report({ seed, violations: found, log }: PlayedPoints): Promise<void> {
  if (found.length === 0) return;
  print(found.map((one) => `  ! ${one}`).join("\n"));
  const file = await keepLog(values.out, { seed, lines: [...found, ...log] });
  print(`  log: ${file}; again: npm run test:release-kills -- --seed ${seed} --points ${length}`);
}
