import type { ScheduleResult } from "./run-schedule.ts";

/** Counts the warnings and errors in the operators' logs, with an example of each. Pure. */
export function countMessages(results: readonly ScheduleResult[]): string {
  const seen = new Map<string, { count: number; example: string }>();
  for (const { schedule, log } of results) {
    for (const line of log) {
      const found = /"level":"(warn|error)".*"message":"((?:[^"\\]|\\.)*)"\}?$/.exec(line);
      // Messages of Node have no level.
      const key =
        found === null ? (line.includes('"level"') ? undefined : "(no log line)") : `${found[1]} ${found[2]}`;
      if (key === undefined || line.includes("The process ended")) continue;
      const entry = seen.get(key) ?? { count: 0, example: `seed ${schedule.seed}: ${line}` };
      entry.count += 1;
      seen.set(key, entry);
    }
  }
  return [...seen]
    .toSorted(([, a], [, b]) => b.count - a.count)
    .map(([key, { count, example }]) => `${count} × ${key}\n    ${example}\n`)
    .join("");
}
