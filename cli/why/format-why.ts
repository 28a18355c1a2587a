import { countObjects, describeId } from "../../operator/engine/object-text.ts";
import { formatColumns, printable } from "../release/columns.ts";
import type { Wait, Wants, WhyReport, WhyStep } from "./why-report.ts";

/** So many rows and lines leave the whole on one screen. */
const mostSteps = 10;
const mostWaits = 5;

/** A report for people. What is left out is counted. Pure. */
export function formatWhy({ title, wants, waits, changed, next, unknown }: WhyReport): readonly string[] {
  return [
    printable(title),
    ...(wants === undefined ? [] : formatWants(wants)),
    "",
    waits.length > 0
      ? "Waiting for:"
      : `Waiting for nothing${unknown.length === 0 ? "" : ", as far as known"}`,
    ...limited(waits, mostWaits).shown.flatMap(formatWait),
    ...limited(waits, mostWaits).rest,
    ...section("Unknown:", [...limited(unknown, mostWaits).shown, ...limited(unknown, mostWaits).rest]),
    ...section("Last changes:", changed),
    ...section("Next steps:", next),
  ];
}

function formatWants({ objects, steps, unread, surplus }: Wants): readonly string[] {
  const left = new Set(steps.flatMap(({ does, id }) => (does === "keep" ? [] : id))).size;
  const rows = [...steps, ...surplus].map(
    (step) => [step.does, describeId(step.id), reasonOf(step)] as const,
  );
  const { shown, rest } = limited(rows, mostSteps);
  return [
    `Wants ${countObjects(objects)}: ${objects - left - unread} up to date, ${left} pending${unread === 0 ? "" : `, ${unread} unknown`}`,
    ...(rows.length === 0 ? [] : formatColumns([["ACTION", "OBJECT", "REASON"], ...shown])),
    ...rest,
  ];
}

/** A gate's text names its object, which stands beside it. */
function reasonOf({ id, reason }: WhyStep): string {
  const name = `${describeId(id)} `;
  return reason.startsWith(name) ? reason.slice(name.length) : reason;
}

function formatWait({ on, message, since, until }: Wait): readonly string[] {
  const when = since === undefined ? "" : `, since ${since}`;
  return [
    printable(`- ${on}${when}: ${message}`),
    ...(until === undefined ? [] : [printable(`  until ${until}`)]),
  ];
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", title, ...lines.map((line) => printable(`- ${line}`))];
}

function limited<Item>(items: readonly Item[], most: number) {
  const left = items.length - most;
  return { shown: items.slice(0, most), rest: left > 0 ? [`… and ${left} more (-o json has all)`] : [] };
}
