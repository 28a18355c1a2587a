import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startLocalCluster } from "../../../cli/local-cluster/local-cluster.ts";
import { install } from "../../cluster/install.ts";
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
const stop = new AbortController();
// The first one lets what is under way come to its end.
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    if (stop.signal.aborted) process.exit(1);
    stop.abort();
    print("Stopping; once more to end at once");
  });

const started = performance.now();
const played: PlayedPoints[] = [];
const cluster = await startLocalCluster({ name: "kills", fsync: false, report: print });
try {
  const { kubeconfigPath, operatorKubeconfigPath, auditLogPath, kubectlPath = "kubectl" } = cluster;
  const testCluster = { kubeconfigPath, operatorKubeconfigPath, auditLogPath, kubectlPath };
  await install(testCluster);
  const world = await createReleaseWorld(testCluster);
  const waiting = [...stages];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !stop.signal.aborted; next = waiting.shift()) {
      const onPoint = (text: string): void => print(`seed ${next?.seed}, ${text}`);
      const result = await playPoints(world, { ...next, onPoint, signal: stop.signal });
      played.push(result);
      await report(result);
    }
  };
  try {
    await Promise.all(Array.from({ length: Number(values.lanes) }, lane));
  } finally {
    await world.close();
  }
} finally {
  await cluster.stop();
}
const sum = (count: (one: PlayedPoints) => number): number =>
  played.reduce((all, one) => all + count(one), 0);
const violations = played.flatMap((one) => one.violations);
print(
  `\n${sum((one) => one.points)} kills, ${sum((one) => one.midway)} of them in the middle of writes, in ${((performance.now() - started) / 60_000).toFixed(1)} min: ${violations.length === 0 ? "every object was tracked" : `${violations.length} VIOLATIONS`}`,
);
process.exit(violations.length === 0 && sum((one) => one.points) === points ? 0 : 1);

async function report({ seed, violations: found, log }: PlayedPoints): Promise<void> {
  if (found.length === 0) return;
  print(found.map((one) => `  ! ${one}`).join("\n"));
  await mkdir(values.out, { recursive: true });
  const file = join(values.out, `seed-${seed}.log`);
  await writeFile(file, [...found, ...log].join("\n"));
  print(`  log: ${file}; again: npm run test:release-kills -- --seed ${seed} --points ${length}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
