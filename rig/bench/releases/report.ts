import { ratioOfMedians, seededRandom } from "../report/bootstrap.ts";
import { describeCalls, sumOf } from "./audited-calls.ts";
import type { BadNeighbour } from "./bad-neighbours.ts";
import type { ProgramResult } from "./program-scenario.ts";
import type { EditResult, FillResult, PollResult, PushResult } from "./scenarios.ts";

export interface ReleaseResults {
  readonly sets: number;
  readonly programs: number;
  readonly load1: number;
  readonly fill: FillResult;
  readonly push?: PushResult;
  readonly poll?: PollResult;
  readonly edit?: EditResult;
  readonly program?: ProgramResult;
  readonly bad?: readonly BadNeighbour[];
}

/** A line of the table. `holds` is undefined if there is no limit, or if it was not measured. */
interface Line {
  readonly title: string;
  readonly flux: string;
  readonly ours: string;
  readonly limit: string;
  readonly holds: boolean | undefined;
}

const reads = /^(get|list) (?!discovery)/;
const discovery = / discovery$/;
const applies = /^patch (deployments|serviceaccounts|services|ingresses|configmaps)$/;
const events = / events$/;

/**
 * Compares our results with those of Flux 2.9 (kustomize-controller 1.9.4, source-controller 1.9.1, 20 workers) on a machine of
 * this size, for 1,000 sets. Pure.
 */
export function releaseReport(results: ReleaseResults): string {
  const lines = [
    ...fillLines(results),
    ...laterLines(results),
    ...programLines(results),
    ...badLines(results),
  ];
  const head = ["line", "Flux, 1,000 sets", `ours, ${results.sets} sets`, "limit", "holds"];
  const rows = lines.map(({ title, flux, ours, limit, holds }) => [
    ...[title, flux, ours, limit],
    holds === undefined ? "" : holds ? "yes" : "NO",
  ]);
  const widths = head.map((text, column) =>
    Math.max(text.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lineOf = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const table = [lineOf(head), lineOf(widths.map((width) => "-".repeat(width))), ...rows.map(lineOf)];
  return `${table.join("\n")}\n\n${notes(results).join("\n")}\n`;
}

function fillLines({ sets, fill }: ReleaseResults): readonly Line[] {
  const { readyMs, use, calls } = fill;
  const perSet = (sumOf(calls) - sumOf(calls, discovery)) / sets;
  const others = perSet - (sumOf(calls, applies) + sumOf(calls, reads)) / sets;
  return [
    {
      title: "all Ready, s",
      flux: "183",
      ours: (readyMs / 1_000).toFixed(1),
      ...most(18, readyMs / 1_000),
    },
    {
      title: "peak memory, MiB",
      flux: "224 + 112",
      ours: use.allMiB.toFixed(0),
      ...most(256, use.allMiB),
    },
    {
      title: "calls per set, filling",
      flux: "34",
      ours: number(perSet),
      ...most(7, perSet),
    },
    {
      title: "  applies",
      flux: "4",
      ours: number(sumOf(calls, applies) / sets),
      ...most(4, sumOf(calls, applies) / sets),
    },
    { title: "  other writes", flux: "22", ours: number(others), ...most(3, others) },
    {
      title: "  reads",
      flux: "8",
      ours: number(sumOf(calls, reads) / sets),
      ...most(0, sumOf(calls, reads) / sets),
    },
  ];
}

function laterLines({ push, poll, edit }: ReleaseResults): readonly Line[] {
  const lines: Line[] = [];
  if (push !== undefined) {
    const { liveMs, calls, renders } = push;
    const [median, p99] = [percentile(liveMs, 0.5), percentile(liveMs, 0.99)];
    const eventsPerEdit = sumOf(calls, events) / liveMs.length;
    const per = sumOf(calls) / liveMs.length - eventsPerEdit;
    lines.push(
      {
        title: "push → live, p50, ms",
        flux: "53,000 to 72,000",
        ours: median.toFixed(0),
        ...most(500, median),
      },
      { title: "push → live, p99, ms", flux: "143,000 (max)", ours: p99.toFixed(0), ...most(2_000, p99) },
      { title: "calls per push", flux: "27,000", ours: number(per), ...most(2, per) },
      { title: "  events in addition", flux: "?", ours: number(eventsPerEdit), ...most(1, eventsPerEdit) },
      {
        title: "renders per push",
        flux: "1,000",
        ours: renders === undefined ? "?" : number(renders / liveMs.length),
        ...most(1, renders === undefined ? undefined : renders / liveMs.length),
      },
    );
  }
  if (poll !== undefined) {
    const count = sumOf(poll.calls);
    lines.push({
      title: "calls, a poll without changes",
      flux: "27,000 (152 s)",
      ours: number(count),
      ...most(0, count),
    });
  }
  if (edit !== undefined) {
    const longest = Math.max(...edit.backMs);
    lines.push({
      title: "edit of an object reverted, longest, ms",
      flux: "20,000 to 52,000",
      ours: longest.toFixed(0),
      ...most(2_000, longest),
    });
  }
  return lines;
}

function programLines({ program, programs }: ReleaseResults): readonly Line[] {
  if (program === undefined) return [];
  const { readyMs, pushMs, bundles, firstRenderMs, warmTogetherMs, warmAloneMs, use } = program;
  const [firstEverMs, firstPushedMs] = firstRenderMs;
  const of = (value: number | undefined): string => (value === undefined ? "?" : number(value));
  const many = Math.max(...bundles.map((count) => count ?? 0));
  return [
    {
      title: `${programs} programs: all Ready, s`,
      flux: "",
      ours: (readyMs / 1_000).toFixed(1),
      limit: "",
      holds: undefined,
    },
    {
      title: "  push → all Ready, s",
      flux: "",
      ours: (pushMs / 1_000).toFixed(1),
      limit: "",
      holds: undefined,
    },
    {
      title: "  bundles per commit",
      flux: "",
      ours: bundles.map(of).join(", "),
      ...most(1, bundles.includes(undefined) ? undefined : many),
    },
    { title: "  first render, filling, ms", flux: "", ours: of(firstEverMs), ...most(150, firstEverMs) },
    { title: "  first render, pushed, ms", flux: "", ours: of(firstPushedMs), ...most(150, firstPushedMs) },
    {
      title: "  warm render, all at once, ms",
      flux: "",
      ours: of(warmTogetherMs),
      ...most(5, warmTogetherMs),
    },
    { title: "  warm render, ms", flux: "", ours: of(warmAloneMs), ...most(5, warmAloneMs) },
    { title: "  peak memory, MiB", flux: "", ours: use.allMiB.toFixed(0), limit: "", holds: undefined },
  ];
}

function badLines({ bad = [] }: ReleaseResults): readonly Line[] {
  const random = seededRandom(1);
  return bad.map(({ name, aloneMs, besideMs }) => {
    const ratio = ratioOfMedians(besideMs, aloneMs, { random });
    const ours =
      ratio === undefined ? "?" : `${number(ratio.value)} [${number(ratio.low)}, ${number(ratio.high)}]`;
    const most = { limit: "≤ 1.1", holds: ratio && ratio.low <= 1.1 };
    return { title: `push → live p50, with one that ${name} : alone`, flux: "", ours, ...most };
  });
}

function notes({ sets, fill, push, poll, edit, load1 }: ReleaseResults): readonly string[] {
  const { operatorMiB, childrenMiB, cpuSeconds } = fill.use;
  return [
    `Load before: ${load1.toFixed(2)}. Memory: the operator ${operatorMiB.toFixed(0)} MiB, processes that it started ${childrenMiB.toFixed(0)} MiB. CPU of all of them while filling: ${cpuSeconds.toFixed(1)} s.`,
    `Calls per set while filling: ${describeCalls(fill.calls, sets)}`,
    ...(push === undefined
      ? []
      : [
          `Calls per push: ${describeCalls(push.calls, push.liveMs.length)}; Ready p50 ${percentile(push.readyMs, 0.5).toFixed(0)} ms`,
        ]),
    ...(poll === undefined
      ? []
      : [`Calls of a poll without changes: ${describeCalls(poll.calls)}; renders ${poll.renders ?? "?"}`]),
    ...(edit === undefined
      ? []
      : [
          `Calls per edit: ${describeCalls(edit.calls, edit.backMs.length)}; reverted p50 ${percentile(edit.backMs, 0.5).toFixed(0)} ms`,
        ]),
  ];
}

function most(limit: number, value: number | undefined): Pick<Line, "limit" | "holds"> {
  return { limit: `≤ ${limit}`, holds: value === undefined ? undefined : value <= limit };
}

/** The percentile of a list of values. Pure. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

function number(value: number): string {
  return String(Number(value.toFixed(value < 0.1 ? 4 : 2)));
}
