import { type FaultType, faultTexts } from "./fault-types.ts";
import type { ScheduleResult } from "./run-schedule.ts";

/** The findings of a run, as Markdown. Pure. */
export function writeReport(results: readonly ScheduleResult[], tookMs: number): string {
  const bad = results.filter(({ violations }) => violations.length > 0);
  const sum = (count: (one: ScheduleResult) => number): number =>
    results.reduce((total, one) => total + count(one), 0);
  const times = results.map(({ convergedMs }) => convergedMs).toSorted((a, b) => a - b);
  const at = (share: number): string =>
    `${((times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0) / 1_000).toFixed(1)} s`;
  const types = Object.keys(faultTexts) as FaultType[];
  const rows = types.map((type) => {
    const schedules = results.filter(({ schedule }) => schedule.faults.some((fault) => fault.type === type));
    const times = sum(({ schedule }) => schedule.faults.filter((fault) => fault.type === type).length);
    return `| ${type} | ${schedules.length} | ${times} | ${sum(({ hits }) => hits.get(type) ?? 0)} |`;
  });
  const skipped = new Set(results.flatMap((one) => one.skipped));
  return [
    `${results.length} schedules in ${(tookMs / 60_000).toFixed(1)} min, ${bad.length} with violations.`,
    "",
    `- Edits by users: ${sum(({ schedule }) => schedule.edits.length)}. Writes of operators that the API server accepted: ${sum(({ fence }) => fence.accepted)}; of them unfenced: ${sum(({ fence }) => fence.unfenced.length)}; sent in time and accepted after another operator had acquired the Lease: ${sum(({ fence }) => fence.late.length)}.`,
    `- Starts of operators: ${sum(({ starts }) => starts)}. Commits: ${sum(({ commits }) => commits)}.`,
    `- From the end of all faults to convergence: median ${at(0.5)}, nine of ten within ${at(0.9)}, longest ${at(1)}.`,
    ...(skipped.size === 0 ? [] : [`- Not possible on this machine: ${[...skipped].join(", ")}.`]),
    "",
    "| fault | schedules | times | requests, streams or processes hit |",
    "| --- | ---: | ---: | ---: |",
    ...rows,
    ...bad.flatMap(({ schedule, violations }) => [
      "",
      `Seed ${schedule.seed}:`,
      ...violations.slice(0, 20).map((one) => `- ${one}`),
    ]),
    "",
  ].join("\n");
}
