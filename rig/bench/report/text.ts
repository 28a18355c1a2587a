import type { Finding, Measurement } from "./assess.ts";
import { assess } from "./assess.ts";
import { medianOf } from "./bootstrap.ts";

/** The whole report as text: one table per scenario, then the calls and commits. Pure. */
export function reportText(measurements: readonly Measurement[]): string {
  const findings = assess(measurements);
  const blocks = Map.groupBy(findings, ({ scenario, resources }) => `${scenario}, ${resources} resources`);
  const parts = [...blocks].map(([title, block]) => {
    const [{ scenario, resources } = { scenario: "", resources: 0 }] = block;
    const mine = measurements.filter((one) => one.scenario === scenario && one.n === resources);
    return `## ${title}\n\n${tableText(block)}\n${notesText(mine)}`;
  });
  const missed = findings.filter(({ holds }) => holds === false);
  const verdict = missed.map(
    ({ scenario, title, implementation, limit }) => `- ${scenario}: ${title}, ${implementation} (${limit})`,
  );
  const summary =
    missed.length === 0
      ? "Every line that was measured holds."
      : `Lines that do not hold:\n${verdict.join("\n")}`;
  return `${parts.join("\n")}\n${summary}\n`;
}

const head = [
  "line",
  "implementation",
  "ours: median [min, max]",
  "Go: median [min, max]",
  "ratio [95 %]",
  "limit",
  "holds",
];

function tableText(findings: readonly Finding[]): string {
  const rows = findings.map(({ title, implementation, ours, theirs, ratio, limit, holds }) => [
    title,
    implementation,
    spreadText(ours),
    spreadText(theirs),
    ratio === undefined ? "" : `${number(ratio.value)} [${number(ratio.low)}, ${number(ratio.high)}]`,
    limit,
    holds === undefined ? "" : holds ? "yes" : "NO",
  ]);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |\n`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("");
}

/** Counts with individual names: calls, errors, git commands, commits. */
const noted = [
  "calls_per_cr",
  "calls_per_edit",
  "calls_per_min",
  "calls",
  "errors",
  "noop_status",
  "git_commands",
  "commits",
  "slices",
];

function notesText(measurements: readonly Measurement[]): string {
  return measurements
    .flatMap((one) =>
      noted
        .filter((field) => field !== "calls" || one.scenario === "cold")
        .filter((field) => hasContent(one[field]))
        .map((field) => `${one.implementation}, round ${one.round}: ${field} ${compact(one[field])}\n`),
    )
    .join("");
}

function hasContent(value: unknown): boolean {
  return typeof value === "object" && value !== null ? Object.keys(value).length > 0 : value !== undefined;
}

function compact(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "number" ? Number(number(inner)) : inner,
  );
}

function spreadText(values: readonly number[]): string {
  if (values.length === 0) return "";
  const [median, low, high] = [medianOf(values), Math.min(...values), Math.max(...values)];
  return values.length === 1 ? number(median) : `${number(median)} [${number(low)}, ${number(high)}]`;
}

/** Formats a number with three significant digits, and all digits before the point. */
function number(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}
