import { ageOf } from "./age-text.ts";
import { formatColumns } from "./columns.ts";
import { conditionOf, type ReleaseObject, shortCommit } from "./release-object.ts";

export interface ReleasesTableOptions {
  /** Whether to show the namespace of each. */
  readonly namespaces: boolean;
  readonly nowMs: number;
}

/** Releases as a table, one line each: whether it is ready, its revision, and why. Pure. */
export function formatReleases(
  releases: readonly ReleaseObject[],
  { namespaces, nowMs }: ReleasesTableOptions,
): readonly string[] {
  const titles = ["NAME", "READY", "STATUS", "REVISION", "AGE", "MESSAGE"];
  const rows = releases.map((release) => {
    const { metadata, status, spec } = release;
    const ready = conditionOf(release, "Ready");
    const isLeaving = metadata.deletionTimestamp !== undefined;
    const marks = [
      isLeaving ? "Deleting" : (ready?.reason ?? "Pending"),
      ...(spec.revision === undefined ? [] : ["pinned"]),
    ];
    return [
      metadata.name,
      ready?.status ?? "Unknown",
      marks.join(", "),
      status?.revision === undefined ? "none" : shortCommit(status.revision),
      ageOf(metadata.creationTimestamp, nowMs),
      (ready?.message ?? "").replaceAll(/\s+/g, " "),
    ];
  });
  const place = (cells: readonly string[], namespace: string) => (namespaces ? [namespace, ...cells] : cells);
  return formatColumns([
    place(titles, "NAMESPACE"),
    ...rows.map((cells, index) => place(cells, releases[index]?.metadata.namespace ?? "")),
  ]);
}
