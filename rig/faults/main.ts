import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { install } from "../../test/cluster/install.ts";
import { keepLog, onCluster, print, runConcurrently, stopSignal } from "../../test/random-runs.ts";
import { parseCount, parseNames, parseNumbers, testProgram } from "../program-options.ts";
import { describeSchedule } from "./describe.ts";
import { type FaultType, faultTexts, isClusterFault } from "./fault-types.ts";
import { countMessages } from "./log-messages.ts";
import { writeReport } from "./report.ts";
import { runSchedule, type ScheduleResult } from "./run-schedule.ts";
import { makeSchedule, type Schedule } from "./schedule.ts";
import { createSharedSetup, type SharedSetup } from "./shared-setup.ts";

interface FaultsOptions {
  readonly seed?: readonly number[];
  readonly schedules?: number;
  readonly lanes: number;
  readonly only?: readonly FaultType[];
  readonly without?: readonly FaultType[];
  readonly out: string;
  readonly verbose?: true;
}

const parseTypes = (text: string): readonly FaultType[] =>
  parseNames(text, Object.keys(faultTexts) as FaultType[]);
const options = testProgram(
  "npm run test:faults --",
  "Runs two operators of one Lease with random schedules of edits and faults, as root on Linux.",
)
  .option(
    "--seed <numbers>",
    "first seed; without other options, only this schedule runs; several seeds: only these; default: 1",
    parseNumbers,
  )
  .option("--schedules <n>", "number of schedules; default: 200; with --seed, 1", parseCount)
  .option(
    "--lanes <n>",
    "number of concurrent schedules; those that restart a part of the cluster run alone",
    parseCount,
    3,
  )
  .option(
    "--only <types>",
    "only faults of these types, to find the cause of a violation; default: all",
    parseTypes,
  )
  .option("--without <types>", "no faults of these types", parseTypes)
  .option(
    "--out <folder>",
    "folder for the report, and for the logs of schedules with violations",
    join(tmpdir(), "fairlead-faults"),
  )
  .option("--verbose", "print every schedule, and keep every log")
  .parse()
  .opts<FaultsOptions>();

const { seed: named = [], only, without = [], lanes, out, verbose = false } = options;
const [first = 1] = named;
const length = options.schedules ?? (named.length === 0 ? 200 : 1);
const seeds = named.length > 1 ? named : Array.from({ length }, (_, index) => first + index);
const count = seeds.length;
const schedules = seeds.map((seed) => narrowed(makeSchedule(seed)));
const hasClusterFault = ({ faults }: Schedule): boolean => faults.some(({ type }) => isClusterFault(type));

const started = performance.now();
const signal = stopSignal();
const results: ScheduleResult[] = [];
await onCluster("faults", async (cluster, local) => {
  await install(cluster);
  const shared = await createSharedSetup(cluster, (component, graceMs) =>
    local.restart(component, { graceMs }),
  );
  const run = (schedule: Schedule): Promise<void> => runOne(schedule, shared);
  try {
    const alone = schedules.filter(hasClusterFault);
    const others = schedules.filter((one) => !hasClusterFault(one));
    await runConcurrently(others, { lanes, signal, run });
    await runConcurrently(alone, { lanes: 1, signal, run });
  } finally {
    await shared.close();
  }
});
const report = writeReport(results, performance.now() - started);
await mkdir(out, { recursive: true });
await writeFile(join(out, "report.md"), report);
await writeFile(join(out, "log-messages.txt"), countMessages(results));
print(`\n${report}\nReport and logs: ${out}`);
// Exit explicitly, because half-open connections of a fault may keep the process running.
process.exit(results.length === count && results.every(({ violations }) => violations.length === 0) ? 0 : 1);

function narrowed(schedule: Schedule): Schedule {
  const stays = (type: FaultType): boolean => !without.includes(type) && (only?.includes(type) ?? true);
  return { ...schedule, faults: schedule.faults.filter(({ type }) => stays(type)) };
}

async function runOne(schedule: Schedule, shared: SharedSetup): Promise<void> {
  const { seed } = schedule;
  if (verbose || count === 1) print(describeSchedule(schedule));
  const result = await runSchedule(schedule, shared);
  results.push(result);
  const { violations, tookMs, convergedMs, lastDifference, log } = result;
  const times = `${(tookMs / 1_000).toFixed(1)} s, converged ${(convergedMs / 1_000).toFixed(1)} s after the end of all faults`;
  const word = violations.length === 0 ? "ok" : `${violations.length} VIOLATIONS`;
  print(`${results.length}/${count} seed ${seed}: ${word} (${times})`);
  if (convergedMs > 10_000) print(`  last: ${lastDifference.slice(0, 500)}`);
  if (violations.length === 0 && !verbose) return;
  await keepLog(out, { seed, lines: [describeSchedule(schedule), ...violations, ...log] });
  if (violations.length === 0) return;
  print([describeSchedule(schedule), ...violations.map((one) => `  ! ${one}`)].join("\n"));
  print(`  again: npm run test:faults -- --seed ${seed}`);
}
