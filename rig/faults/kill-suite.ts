import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestCluster } from "../../test/cluster/global-setup.ts";
import { install } from "../../test/cluster/install.ts";
import {
  keepLog,
  minutesSince,
  onCluster,
  print,
  runConcurrently,
  stopSignal,
} from "../../test/random-runs.ts";
import { parseCount, parseNumber, testProgram } from "../program-options.ts";
import type { SharedSetup } from "./shared-setup.ts";

/** The results of the points of one seed. */
export interface PointsResult {
  readonly seed: number;
  readonly points: number;
  /** Number of kills during writes. */
  readonly midway: number;
  readonly violations: readonly string[];
  /** The logs of all runs of the operator. */
  readonly log: readonly string[];
}

export interface RunPointsOptions<Point> {
  readonly seed: number;
  readonly points: readonly Point[];
  readonly onPoint?: (text: string) => void;
  /** Aborted: no further point is started. */
  readonly signal?: AbortSignal;
}

export interface KillSuite<Point> {
  /** Name of the npm script: `release-kills`. */
  readonly name: string;
  /** Its description for `--help`. */
  readonly description: string;
  /** The text for a run without violations. */
  readonly verdict: string;
  readonly createSharedSetup: (cluster: TestCluster) => Promise<SharedSetup>;
  readonly makePoints: (seed: number, count: number) => readonly Point[];
  readonly runPoints: (shared: SharedSetup, options: RunPointsOptions<Point>) => Promise<PointsResult>;
}

interface KillSuiteOptions {
  readonly points: number;
  readonly seed: number;
  readonly length: number;
  readonly lanes: number;
  readonly out: string;
}

/** Runs a kill suite with the options of the command line. @returns The exit code. */
export async function runKillSuite<Point>(suite: KillSuite<Point>): Promise<number> {
  const options = testProgram(`npm run test:${suite.name} --`, suite.description)
    .option("--points <n>", "total number of kills", parseCount, 200)
    .option("--seed <number>", "first seed; every run uses the next one", parseNumber, 1)
    .option("--length <n>", "points of one run, one after the other", parseCount, 5)
    .option("--lanes <n>", "number of concurrent runs", parseCount, 3)
    .option(
      "--out <folder>",
      "folder for the logs of runs with violations",
      join(tmpdir(), `fairlead-${suite.name}`),
    )
    .parse()
    .opts<KillSuiteOptions>();
  const { points, seed: first, length, lanes, out } = options;
  const seeds = Array.from({ length: Math.ceil(points / length) }, (_, index) => first + index);
  const left = (index: number): number => Math.min(length, points - index * length);
  const runs = seeds.map((seed, index) => ({ seed, points: suite.makePoints(seed, left(index)) }));
  const signal = stopSignal();
  const started = performance.now();
  const results: PointsResult[] = [];
  const report = async ({ seed, violations, log }: PointsResult): Promise<void> => {
    if (violations.length === 0) return;
    print(violations.map((one) => `  ! ${one}`).join("\n"));
    const file = await keepLog(out, { seed, lines: [...violations, ...log] });
    print(`  log: ${file}; again: npm run test:${suite.name} -- --seed ${seed} --points ${length}`);
  };
  await onCluster("kills", async (cluster) => {
    await install(cluster);
    const shared = await suite.createSharedSetup(cluster);
    const run = async ({ seed, points }: (typeof runs)[number]): Promise<void> => {
      const onPoint = (text: string): void => print(`seed ${seed}, ${text}`);
      const result = await suite.runPoints(shared, { seed, points, onPoint, signal });
      results.push(result);
      await report(result);
    };
    try {
      await runConcurrently(runs, { lanes, signal, run });
    } finally {
      await shared.close();
    }
  });
  const sum = (count: (one: PointsResult) => number): number =>
    results.reduce((all, one) => all + count(one), 0);
  const violations = sum((one) => one.violations.length);
  const verdict = violations === 0 ? suite.verdict : `${violations} VIOLATIONS`;
  const [kills, midway] = [sum((one) => one.points), sum((one) => one.midway)];
  print(
    `\n${kills} kills, ${midway} of them in the middle of writes, in ${minutesSince(started)}: ${verdict}`,
  );
  return violations === 0 && kills === points ? 0 : 1;
}
