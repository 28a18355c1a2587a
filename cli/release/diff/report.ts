import type { PruneDecision } from "../../../operator/engine/decide-prune.ts";
import { describeId } from "../../../operator/engine/object-text.ts";
import type { LineStyle } from "../../terminal-text.ts";
import { formatColumns, printable } from "../columns.ts";
import { type Change, type ChangeAction, changeOf } from "./change.ts";

/** Result of `fairlead diff` for one Release, or for the objects of a file. */
export interface DiffReport {
  /** `Release shop/web at 1a2b3c4d5e (Add a shop)`. */
  readonly title: string;
  readonly changes: readonly Change[];
  /** Digest of all manifests of a Release. */
  readonly digest?: string;
  /** Why nothing would be pruned, although objects were removed from the source. */
  readonly held: string | undefined;
  /** Warnings, such as about ignored fields of a source. */
  readonly warnings: readonly string[];
}

/** Exit codes of `fairlead diff`, as those of diff(1) and kubectl. */
export const exitCodes = { same: 0, different: 1, failed: 2 } as const;

const mostObjects = 100;
const mostLines = 300;

/** The objects that would be pruned, as changes. A held prune deletes nothing. Pure. */
export function pruneChanges({ now, later }: PruneDecision): readonly Change[] {
  return [...now, ...later].map(({ id, live }) => changeOf({ id, before: live, after: undefined }));
}

/** 0: nothing would change. 1: something would. 2: something would be refused. Pure. */
export function exitCodeOf(reports: readonly DiffReport[]): number {
  const actions = new Set(reports.flatMap(({ changes }) => changes.map(({ action }) => action)));
  if (actions.has("refused")) return exitCodes.failed;
  actions.delete("unchanged");
  return actions.size === 0 && reports.every(({ held }) => held === undefined)
    ? exitCodes.same
    : exitCodes.different;
}

/** A report as text: the differences, then the change of each object. Omitted lines are counted. Pure. */
export function formatReport({ title, changes, held }: DiffReport): readonly string[] {
  const wanted = changes.filter(({ action }) => action !== "unchanged");
  const lines: string[] = [];
  for (const { action, diff } of wanted.slice(0, mostObjects)) {
    // For a deleted object, the name is sufficient.
    if (diff !== "" && action !== "delete") lines.push(...shorten(diff.trimEnd().split("\n")), "");
  }
  const rows = wanted
    .slice(0, mostObjects)
    .map(({ action, id, note }) => [action, describeId(id), note ?? ""] as const);
  if (rows.length > 0) lines.push(...formatColumns([["ACTION", "OBJECT", "NOTE"], ...rows]));
  const left = wanted.length - rows.length;
  if (left > 0) lines.push(`… and ${left} more (-o json has all)`);
  if (held !== undefined) lines.push(printable(held));
  const isOnlyHeld = held !== undefined && changes.length === 0;
  const summary = isOnlyHeld ? "nothing changes until the deletion is approved" : summaryOf(changes);
  return [...lines, printable(`${title}: ${summary}`)];
}

/** Style of a line of a report: added, removed or header lines of a unified diff. Pure. */
export function styleOf(line: string): LineStyle | undefined {
  return styles.find(([start]) => line.startsWith(start))?.[1];
}

const styles: readonly (readonly [start: string, LineStyle])[] = [
  ["--- ", "bold"],
  ["+++ ", "bold"],
  ["@@ ", "cyan"],
  ["-", "red"],
  ["+", "green"],
];

function shorten(lines: readonly string[]): readonly string[] {
  if (lines.length <= mostLines) return lines.map(visible);
  return [
    ...lines.slice(0, mostLines).map(visible),
    `… and ${lines.length - mostLines} more lines (-o json has all)`,
  ];
}

/** Untrusted text for a terminal, without control characters. The indentation is kept. */
function visible(line: string): string {
  return line.replaceAll(/[^\P{Cc}\t]/gu, "\u{fffd}");
}

const words: readonly (readonly [ChangeAction, string])[] = [
  ["create", "created"],
  ["change", "changed"],
  ["replace", "replaced"],
  ["delete", "deleted"],
  ["refused", "refused"],
  ["unchanged", "unchanged"],
];

/** `1 created, 5 unchanged`. Pure. */
export function summaryOf(changes: readonly Change[]): string {
  const counts = words.flatMap(([action, word]) => {
    const count = changes.filter((change) => change.action === action).length;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  return counts.length === 0 ? "nothing to compare" : counts.join(", ");
}
