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

/** What a row says of one resource and its children. Pure. */
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

/** The table as lines of text, at most `width` characters each. Pure. */
export function formatTable(rows: readonly TableRow[], width: number): readonly string[] {
  const columns = Object.keys(titles) as (keyof TableRow)[];
  const sorted = rows.toSorted((a, b) => (a.resource < b.resource ? -1 : 1));
  const all = [titles, ...sorted];
  const widths = columns.map((column) => Math.max(...all.map((row) => row[column].length)));
  const total = widths.reduce((sum, one) => sum + one + 2, -2);
  // The children's names are the one column that a reader can do with half of.
  const spare = Math.max(0, total - width);
  const childrenAt = columns.indexOf("children");
  widths[childrenAt] = Math.max(titles.children.length, (widths[childrenAt] ?? 0) - spare);
  return all.map((row) =>
    columns
      .map((column, index) => shorten(row[column], widths[index] ?? 0).padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(0, length - 1))}…`;
}
