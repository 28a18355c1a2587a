import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { install } from "../../test/cluster/install.ts";
import { keepLog, onCluster, print, runConcurrently, stopSignal } from "../../test/random-runs.ts";
import { folderFlag, namesFlag, numberFlag, numbersFlag, readFlags, switchFlag } from "../read-flags.ts";
import { describeSchedule } from "./describe.ts";
import { type FaultType, isClusterFault } from "./fault-types.ts";
import { countMessages } from "./log-messages.ts";
import { writeReport } from "./report.ts";
import { runSchedule, type ScheduleResult } from "./run-schedule.ts";
import { makeSchedule, type Schedule } from "./schedule.ts";
import { createSharedSetup, type SharedSetup } from "./shared-setup.ts";

const { values } = readFlags({
  command: "npm run test:faults --",
  description: "Runs two operators of one Lease with random schedules of edits and faults, as root on Linux.",
  flags: {
    seed: numbersFlag(
      "The first seed. Without other flags, only this schedule runs. Several seeds: only these. Default: 1.",
    ),
    schedules: numberFlag("Number of schedules. Default: 200; with --seed, 1.", undefined),
    lanes: numberFlag(
      "Number of concurrent schedules. Those that restart a part of the cluster run alone.",
      3,
    ),
    only: namesFlag("Only faults of these types, to find the cause of a violation. Default: all."),
    without: namesFlag("No faults of these types."),
    out: folderFlag(
      "Folder for the report, and for the logs of schedules with violations.",
      join(tmpdir(), "fairlead-faults"),
    ),
    verbose: switchFlag("Print every schedule, and keep every log."),
  },
});

const { seed: named, only, without = [] } = values;
const [first = 1] = named;
const length = values.schedules ?? (named.length === 0 ? 200 : 1);
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
    await runConcurrently(others, { lanes: values.lanes, signal, run });
    await runConcurrently(alone, { lanes: 1, signal, run });
  } finally {
    await shared.close();
  }
});
const report = writeReport(results, performance.now() - started);
await mkdir(values.out, { recursive: true });
await writeFile(join(values.out, "report.md"), report);
await writeFile(join(values.out, "log-messages.txt"), countMessages(results));
print(`\n${report}\nReport and logs: ${values.out}`);
// Exit explicitly, because half-open connections of a fault may keep the process running.
process.exit(results.length === count && results.every(({ violations }) => violations.length === 0) ? 0 : 1);

function narrowed(schedule: Schedule): Schedule {
  const stays = (type: FaultType): boolean => !without.includes(type) && (only?.includes(type) ?? true);
  return { ...schedule, faults: schedule.faults.filter(({ type }) => stays(type)) };
}

async function runOne(schedule: Schedule, shared: SharedSetup): Promise<void> {
  const { seed } = schedule;
  if (values.verbose || count === 1) print(describeSchedule(schedule));
  const result = await runSchedule(schedule, shared);
  results.push(result);
  const { violations, tookMs, convergedMs, lastDifference, log } = result;
  const times = `${(tookMs / 1_000).toFixed(1)} s, converged ${(convergedMs / 1_000).toFixed(1)} s after the end of all faults`;
  const word = violations.length === 0 ? "ok" : `${violations.length} VIOLATIONS`;
  print(`${results.length}/${count} seed ${seed}: ${word} (${times})`);
  if (convergedMs > 10_000) print(`  last: ${lastDifference.slice(0, 500)}`);
  if (violations.length === 0 && !values.verbose) return;
  await keepLog(values.out, { seed, lines: [describeSchedule(schedule), ...violations, ...log] });
  if (violations.length === 0) return;
  print([describeSchedule(schedule), ...violations.map((one) => `  ! ${one}`)].join("\n"));
  print(`  again: npm run test:faults -- --seed ${seed}`);
}
