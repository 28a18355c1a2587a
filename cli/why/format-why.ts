import { countObjects, describeId } from "../../operator/engine/object-text.ts";
import { formatColumns, printable } from "../release/columns.ts";
import {
  stepsOf,
  type Wait,
  type WantedAdditions,
  type Wants,
  type WhyReport,
  type WhyStep,
} from "./why-report.ts";

/** Maximum number of rows and lines, so that the report fits on one screen. */
const mostSteps = 10;
const mostWaits = 5;

/** A report as text. Omitted lines are counted. Pure. */
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

function formatWants(wants: Wants): readonly string[] {
  const { objects, steps, unread, additions } = wants;
  const pending = new Set(steps.flatMap(({ does, id }) => (does === "keep" ? [] : id))).size;
  const rows = stepsOf(wants).map((step) => [step.does, describeId(step.id), reasonOf(step)] as const);
  const { shown, rest } = limited(rows, mostSteps);
  return [
    `Wants ${countObjects(objects)}: ${describeCounts({ objects, pending, unread })}`,
    ...(additions === undefined
      ? []
      : [`Adds to ${countObjects(additions.objects)} of other owners: ${describeCounts(additions)}`]),
    ...(rows.length === 0 ? [] : formatColumns([["ACTION", "OBJECT", "REASON"], ...shown])),
    ...rest,
  ];
}

function describeCounts({
  objects,
  pending,
  unread,
}: Pick<WantedAdditions, "objects" | "pending" | "unread">): string {
  const known = `${objects - pending - unread} up to date, ${pending} pending`;
  return unread === 0 ? known : `${known}, ${unread} unknown`;
}

/** A gate's text contains its object, which is shown beside it. */
function reasonOf({ id, reason }: WhyStep): string {
  const name = `${describeId(id)} `;
  return reason.startsWith(name) ? reason.slice(name.length) : reason;
}

function formatWait({ on, message, since, until }: Wait): readonly string[] {
  const when = since === undefined ? "" : `, since ${since}`;
  return [
    printable(`- ${on}${when}: ${message}`),
    ...(until === undefined || message.endsWith(until) ? [] : [printable(`  until ${until}`)]),
  ];
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", title, ...lines.map((line) => printable(`- ${line}`))];
}

function limited<Item>(items: readonly Item[], most: number) {
  const left = items.length - most;
  return { shown: items.slice(0, most), rest: left > 0 ? [`… and ${left} more (-o json has all)`] : [] };
}
