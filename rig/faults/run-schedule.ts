import { setTimeout as sleep } from "node:timers/promises";
import { findDifferences } from "./converged.ts";
import { Driver } from "./driver.ts";
import type { FaultType } from "./fault-types.ts";
import { checkFence, type FenceFindings } from "./fence.ts";
import { findInHistory } from "./history.ts";
import { injectFault, type Traces } from "./inject-fault.ts";
import { findDoubledJobs } from "./jobs.ts";
import { deleteUncollected, touchJobs, touchPods } from "./repair.ts";
import type { Schedule } from "./schedule.ts";
import { createScheduleFixture, leaseTimes, type ScheduleFixture } from "./schedule-fixture.ts";
import type { SharedSetup } from "./shared-setup.ts";

/** The result of a schedule. */
export interface ScheduleResult {
  readonly schedule: Schedule;
  readonly violations: readonly string[];
  readonly hits: ReadonlyMap<string, number>;
  readonly skipped: readonly FaultType[];
  readonly fence: FenceFindings;
  /** Time from the end of all faults until everything had converged. */
  readonly convergedMs: number;
  readonly lastDifference: string;
  readonly tookMs: number;
  readonly starts: number;
  readonly commits: number;
  /** The logs of the operators. */
  readonly log: readonly string[];
}

/** Maximum time until convergence. It is long enough for a busy machine, and for the Job controller, see {@link touchJobs}. */
const convergeMs = 420_000;
/**
 * The time after which the suite repairs what other controllers have missed: the Job controller no longer waits for a pod of a
 * replaced Job then, and garbage collection has had enough time.
 */
const repairMs = 310_000;
/** Interval of changes of pods that the simulated nodes no longer update. */
const touchMs = 15_000;
/** Required time without a write. */
const quietMs = 500;

/** Runs one schedule, ends all faults, and checks the required state. */
export async function runSchedule(schedule: Schedule, shared: SharedSetup): Promise<ScheduleResult> {
  const started = performance.now();
  const fixture = await createScheduleFixture(shared, schedule);
  try {
    const driver = new Driver(shared.api, fixture.namespace);
    const traces: Traces = { forced: [], isTampered: false, skipped: new Set() };
    const violations: string[] = [];
    for (const operator of fixture.operators) operator.start();
    if (schedule.start === "warm") await untilLed(fixture);
    await act(schedule, fixture, driver, traces);
    await heal(fixture);
    const healed = performance.now();
    const convergence = await untilConverged(fixture, driver);
    violations.push(...convergence.violations);
    const convergedMs = performance.now() - healed;
    if (violations.length === 0) violations.push(...(await untilQuiet(fixture)));
    for (const operator of fixture.operators) await operator.stop();
    const audited = await fixture.audit.read(fixture.namespace);
    const { renewDeadlineMs } = leaseTimes;
    const fence = checkFence({
      sent: fixture.journal.writes,
      audited,
      forced: traces.forced,
      renewDeadlineMs,
    });
    violations.push(
      ...fence.unfenced.map((write) => `unfenced: ${write}`),
      ...findDoubledJobs(audited, driver.jobCauses),
      ...(await findInHistory({ git: fixture.git, isTampered: traces.isTampered })),
    );
    return {
      ...{
        schedule,
        violations,
        fence,
        convergedMs,
        hits: fixture.journal.hits,
        skipped: [...traces.skipped],
      },
      lastDifference: convergence.last,
      tookMs: performance.now() - started,
      starts: fixture.operators[0].starts + fixture.operators[1].starts,
      commits: Number(await fixture.git.git(["rev-list", "--count", "--all"])),
      log: fixture.operators.flatMap(({ log }) => log),
    };
  } finally {
    await fixture.close();
  }
}

async function untilLed({ operators }: ScheduleFixture): Promise<void> {
  const started = performance.now();
  const isLed = (): boolean =>
    operators.some(({ log }) => log.some((line) => line.includes('"Became leader"')));
  while (!isLed()) {
    if (performance.now() - started > convergeMs) throw new Error("No operator became the leader");
    await sleep(20);
  }
}

async function act(
  schedule: Schedule,
  fixture: ScheduleFixture,
  driver: Driver,
  traces: Traces,
): Promise<void> {
  const healing = new AbortController();
  const started = performance.now();
  const until = (atMs: number): Promise<void> => sleep(Math.max(0, atMs - (performance.now() - started)));
  const faults = schedule.faults.map(async (fault) => {
    await until(fault.atMs);
    await injectFault(fault, fixture, traces, healing.signal);
  });
  const edits = (async () => {
    for (const edit of schedule.edits) {
      await until(edit.atMs);
      await driver.perform(edit);
    }
  })();
  await until(schedule.endMs);
  healing.abort();
  await Promise.all([...faults, edits]);
}

async function heal({ proxy, git, disk, operators }: ScheduleFixture): Promise<void> {
  proxy.heal();
  await git.heal();
  await disk.empty();
  for (const operator of operators) operator.signal("SIGCONT");
}

interface Convergence {
  readonly violations: readonly string[];
  /** The last resolved difference. */
  readonly last: string;
}

async function untilConverged(fixture: ScheduleFixture, driver: Driver): Promise<Convergence> {
  const { shared, git, namespace } = fixture;
  const started = performance.now();
  let touchedMs = started;
  let last = "";
  for (;;) {
    const wanted = [...driver.wanted.values()];
    const isLast = performance.now() - started > convergeMs;
    const differences = await findDifferences({ api: shared.api, git, namespace, wanted }, { isLast });
    if (differences.length === 0) return { violations: [], last };
    last = differences.join("; ");
    if (isLast) return { violations: differences.map((one) => `not converged: ${one}`), last };
    if (performance.now() - touchedMs > touchMs) {
      touchedMs = performance.now();
      await touchPods(shared.api, namespace);
      if (performance.now() - started > repairMs) {
        await touchJobs(shared.api, namespace);
        await deleteUncollected(shared.api, namespace);
      }
    }
    await sleep(200);
  }
}

/** Waits for a time without writes: a converged state causes no writes. */
async function untilQuiet({ journal, git }: ScheduleFixture): Promise<readonly string[]> {
  for (let attempt = 0; attempt < 30; attempt++) {
    const [writes, head] = [journal.objectWrites().length, await git.head()];
    await sleep(quietMs);
    if (journal.objectWrites().length === writes && (await git.head()) === head) return [];
  }
  const last = journal.objectWrites().slice(-5);
  return [`writes do not end: ${last.map(({ method, path }) => `${method} ${path}`).join(", ")}`];
}
