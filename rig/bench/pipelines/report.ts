import { percentile } from "../releases/report.ts";
import type { AuditedRequest, PromotionTimes } from "./audited-requests.ts";
import { countRequests } from "./audited-requests.ts";
import type { FillResult } from "./fill.ts";
import type { Counts, GateResult, IdleResult, PushResult } from "./scenarios.ts";

export interface PipelineResults {
  readonly pipelines: number;
  readonly load1: number;
  readonly fill: FillResult;
  readonly idle: IdleResult;
  readonly push: PushResult;
  readonly gate: GateResult;
}

interface Line {
  readonly title: string;
  readonly ours: string;
  readonly limit: string;
  readonly holds: boolean | undefined;
}

const statusWrites = /^patch (pipelines|promotions)\/status$/;
const events = / events$/;

/** The report about the cost of Pipelines, with the limits. Pure. */
export function pipelineReport(results: PipelineResults): string {
  const lines = linesOf(results);
  const head = ["line", `${results.pipelines} Pipelines`, "limit", "holds"];
  const rows = lines.map(({ title, ours, limit, holds }) => [
    ...[title, ours, limit],
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

/** Whether all lines are within their limits. Pure. */
export function holdAll(results: PipelineResults): boolean {
  return linesOf(results).every(({ holds }) => holds !== false);
}

function linesOf({ pipelines, fill, idle, push, gate }: PipelineResults): readonly Line[] {
  const { times } = gate;
  const pins = numbersOf(times, ({ pinMs }) => pinMs);
  const writes = numbersOf(times, ({ firstWriteMs }) => firstWriteMs);
  const statuses = times.map(({ requests }) => countOf(requests, statusWrites));
  const creates = times.map(({ requests }) => countOf(requests, /^patch promotions$/));
  const applies = times.map(({ requests }) => countOf(requests, /^patch releases$/));
  const [live50, live99] = [percentile(push.liveMs, 0.5), Math.max(...push.liveMs)];
  const others = sumOf(push.others);
  const renders = push.renders === undefined ? undefined : push.renders / push.liveMs.length;
  return [
    withoutLimit("all Pipelines passed, s", (fill.readyMs / 1_000).toFixed(1)),
    withoutLimit("requests per Pipeline, filling", number(sumOf(fill.requests) / pipelines)),
    most("peak memory of the operator, MiB", 400, fill.use.operatorMiB),
    withoutLimit("  with the processes that it starts", fill.use.sharedOnceMiB.toFixed(0)),
    withoutLimit("  the same, sum of their RSS", fill.use.allMiB.toFixed(0)),
    most(`requests in ${idle.seconds} s of idling`, 0, sumOf(idle.requests)),
    most("  memory with the processes that it starts, MiB", 400, idle.use.sharedOnceMiB),
    withoutLimit("  the same, sum of their RSS", idle.use.allMiB.toFixed(0)),
    withoutLimit("  CPU, s", idle.use.cpuSeconds.toFixed(2)),
    most("push → dev live, p50, ms", 250, live50),
    withoutLimit("  longest", live99.toFixed(0)),
    withoutLimit("push → prod passed, p50, ms", percentile(push.prodMs, 0.5).toFixed(0)),
    withoutLimit("requests per push", number(sumOf(push.requests) / push.liveMs.length)),
    most("  about other Pipelines", 0, others),
    // Each Release renders a commit once for the plan, and once for the deployment.
    most("renders per push", 6, renders),
    most("approval → pin, p50, ms", 1_000, percentile(pins, 0.5)),
    most("  longest", 1_000, Math.max(...pins)),
    most("approval → first write in prod, p50, ms", 1_000, percentile(writes, 0.5)),
    most("  longest", 1_000, Math.max(...writes)),
    most("Promotions created for one approval, most", 1, Math.max(...creates)),
    most("applies of Releases, most", 1, Math.max(...applies)),
    most("status writes of Pipeline and Promotion, most", 2, Math.max(...statuses)),
  ];
}

function notes({ pipelines, fill, push, gate, load1 }: PipelineResults): readonly string[] {
  const ofGates = gate.times.flatMap(({ requests }) => requests);
  return [
    `Load before: ${load1.toFixed(2)}. CPU of all processes while filling: ${fill.use.cpuSeconds.toFixed(1)} s.`,
    `Requests per Pipeline while filling: ${describe(fill.requests, pipelines)}`,
    `Requests per push: ${describe(push.requests, push.liveMs.length)}`,
    `Requests about other Pipelines: ${describe(push.others)}`,
    `Requests per approved promotion: ${describe(countRequests(ofGates), gate.times.length)}`,
  ];
}

function numbersOf(
  times: readonly PromotionTimes[],
  pick: (one: PromotionTimes) => number | undefined,
): readonly number[] {
  return times.map((one) => pick(one) ?? Number.POSITIVE_INFINITY);
}

function countOf(requests: readonly AuditedRequest[], pattern: RegExp): number {
  return requests.filter(({ does, isDryRun }) => !isDryRun && pattern.test(does)).length;
}

/** The sum without events, which have no limit. */
function sumOf(counts: Counts): number {
  return [...counts].reduce((sum, [name, count]) => (events.test(name) ? sum : sum + count), 0);
}

function describe(counts: Counts, per = 1): string {
  const all = [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${number(count / per)} ${name}`);
  return all.join(", ") || "none";
}

function withoutLimit(title: string, ours: string): Line {
  return { title, ours, limit: "", holds: undefined };
}

function most(title: string, limit: number, value: number | undefined): Line {
  return {
    title,
    ours: value === undefined ? "?" : number(value),
    limit: `≤ ${limit}`,
    holds: value === undefined ? undefined : value <= limit,
  };
}

function number(value: number): string {
  return String(Number(value.toFixed(value < 0.1 ? 4 : value < 10 ? 2 : 0)));
}
