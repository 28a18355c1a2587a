import type { Condition } from "../crds/conditions.ts";
import type { CustomResource, LiveObject, ObjectKind } from "../crds/object.ts";

/** One line of the table that `fairlead start` shows. */
export interface TableRow {
  readonly resource: string;
  readonly ready: string;
  readonly reason: string;
  readonly children: string;
  readonly commit: string;
}

const titles: TableRow = {
  resource: "RESOURCE",
  ready: "READY",
  reason: "REASON",
  children: "CHILDREN",
  commit: "LAST COMMIT",
};

/** Row of one resource and its children. Pure. */
export function rowOf(kind: ObjectKind, resource: CustomResource, children: readonly LiveObject[]): TableRow {
  const status = resource.status as
    | { conditions?: readonly Condition[]; published?: { commit?: string } }
    | undefined;
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const { name, namespace, deletionTimestamp } = resource.metadata;
  return {
    resource: `${kind.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`,
    ready: deletionTimestamp === undefined ? (ready?.status ?? "Unknown") : "False",
    reason: deletionTimestamp === undefined ? (ready?.reason ?? "Pending") : "Deleting",
    children:
      children
        .map((child) => `${child.kind}/${child.metadata.name}`)
        .toSorted()
        .join(" ") || "none",
    commit: status?.published?.commit?.slice(0, 10) ?? "none",
  };
}

/** One line of the table of Releases, which is shown above the other. */
export interface ReleaseRow {
  readonly release: string;
  readonly ready: string;
  readonly revision: string;
  readonly message: string;
}

const releaseTitles: ReleaseRow = {
  release: "RELEASE",
  ready: "READY",
  revision: "REVISION",
  message: "MESSAGE",
};

/** Row of one Release. Pure. */
export function releaseRowOf({ metadata, ...rest }: CustomResource): ReleaseRow {
  const status = rest.status as { conditions?: readonly Condition[]; revision?: string } | undefined;
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const isLeaving = metadata.deletionTimestamp !== undefined;
  return {
    release: metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`,
    ready: isLeaving ? "False" : (ready?.status ?? "Unknown"),
    revision: status?.revision?.slice(0, 10) ?? "none",
    message: isLeaving ? "Deleting" : (ready?.message ?? "Pending").split("\n", 1).join(),
  };
}

/** Columns to shorten on a narrow terminal, in this order, and their minimum widths. */
type Shrinking<Row> = readonly (readonly [column: keyof Row, least: number])[];

const shrinking: Shrinking<TableRow> = [
  ["children", titles.children.length],
  ["resource", 16],
  ["reason", titles.reason.length],
  ["commit", 7],
];

const releaseShrinking: Shrinking<ReleaseRow> = [
  ["message", releaseTitles.message.length],
  ["release", 16],
  ["revision", releaseTitles.revision.length],
];

/** The table as lines of text, at most `width` characters each. Pure. */
export function formatTable(rows: readonly TableRow[], width: number): readonly string[] {
  const sorted = rows.toSorted((a, b) => (a.resource < b.resource ? -1 : 1));
  return format([titles, ...sorted], shrinking, width);
}

/** The same for Releases. Pure. */
export function formatReleases(rows: readonly ReleaseRow[], width: number): readonly string[] {
  const sorted = rows.toSorted((a, b) => (a.release < b.release ? -1 : 1));
  return format([releaseTitles, ...sorted], releaseShrinking, width);
}

/**
 * Columns are as wide as their widest cell, unless the width is too small for that. The first row contains the titles.
 */
function format<Row extends { readonly [Column in keyof Row]: string }>(
  all: readonly [Row, ...Row[]],
  shrinking: Shrinking<Row>,
  width: number,
): readonly string[] {
  const columns = Object.keys(all[0]) as (keyof Row)[];
  const widths = new Map(
    columns.map((column) => [column, Math.max(...all.map((row) => row[column].length))]),
  );
  let excess = widths.values().reduce((sum, one) => sum + one + 2, -2) - width;
  for (const [column, least] of shrinking) {
    const now = widths.get(column) ?? 0;
    const less = Math.min(Math.max(0, excess), Math.max(0, now - least));
    widths.set(column, now - less);
    excess -= less;
  }
  return all.map((row) => {
    const cells = columns.map((column) => {
      const length = widths.get(column) ?? 0;
      return shorten(row[column], length).padEnd(length);
    });
    return shorten(cells.join("  ").trimEnd(), width);
  });
}

/** One event, below the tables. */
export interface EventRow {
  /** Time of day. */
  readonly time: string;
  readonly event: string;
  readonly object: string;
  readonly message: string;
}

const eventTitles: EventRow = { time: "TIME", event: "LAST EVENTS", object: "OBJECT", message: "MESSAGE" };

const eventShrinking: Shrinking<EventRow> = [
  ["message", eventTitles.message.length],
  ["object", 12],
  ["event", eventTitles.event.length],
];

/** Events as lines of text, in the given order, at most `width` characters each. Pure. */
export function formatEventRows(rows: readonly EventRow[], width: number): readonly string[] {
  return format([eventTitles, ...rows], eventShrinking, width);
}

export interface FrameInput {
  /** Releases, shown above the others, if there are any. They are never omitted: there are few. */
  readonly releases?: readonly ReleaseRow[];
  readonly rows: readonly TableRow[];
  /** The last events, newest last. Without enough room, only the newest are shown. */
  readonly events?: readonly EventRow[];
  /** Lines below the table. They are never cut, because users copy them: a terminal wraps them. */
  readonly footer: readonly string[];
  /** Width of the screen. */
  readonly columns: number;
  /** Height of the screen; undefined: unlimited. */
  readonly lines: number | undefined;
}

/** One frame, as lines. Rows that do not fit on the screen are counted. Pure. */
export function composeFrame({
  releases = [],
  rows,
  events = [],
  footer,
  columns,
  lines,
}: FrameInput): readonly string[] {
  const above = releases.length === 0 ? [] : [...formatReleases(releases, columns), ""];
  const table = formatTable(rows, columns);
  const below = footer.length === 0 ? [] : ["", ...footer];
  // One line is for the cursor.
  const others = above.length + rowsOnScreen(below, columns) + 1;
  const room = Math.max(2, (lines ?? Number.POSITIVE_INFINITY) - others);
  const news = chooseEvents(events, Math.max(room - table.length, Math.min(leastNews, room - 2)));
  const happened = news.length === 0 ? [] : ["", ...formatEventRows(news, columns)];
  const left = room - happened.length;
  if (table.length <= left) return [...above, ...table, ...happened, ...below];
  const shown = table.slice(0, left - 1);
  const more = shorten(`… and ${table.length - shown.length} more`, columns);
  return [...above, ...shown, more, ...happened, ...below];
}

/** Minimum lines for events with their title and an empty line above, also if the table has to be shortened. */
const leastNews = 4;

/** The newest events that fit into some lines, with their title and an empty line above. */
function chooseEvents(events: readonly EventRow[], lines: number): readonly EventRow[] {
  const room = Math.min(events.length, lines - 2);
  return room <= 0 ? [] : events.slice(-room);
}

/** Number of screen rows of some lines, wrapped as a terminal does. Pure. */
export function rowsOnScreen(lines: readonly string[], columns: number): number {
  return lines.reduce((sum, { length }) => sum + Math.max(1, Math.ceil(length / columns)), 0);
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(0, length - 1))}…`;
}
