import { ageOf } from "../release/age-text.ts";
import { formatColumns } from "../release/columns.ts";
import type { ReleasesTableOptions } from "../release/releases-table.ts";
import type { PipelineObject } from "./pipeline-object.ts";

/** Formats Pipelines as a table. Each line contains the readiness, the newest commit, and the commits that the stages run. Pure. */
export function formatPipelines(
  pipelines: readonly PipelineObject[],
  { namespaces, nowMs }: ReleasesTableOptions,
): readonly string[] {
  const titles = ["NAME", "READY", "STATUS", "HEAD", "AGE", "STAGES"];
  const rows = pipelines.map(({ metadata, status }) => {
    const ready = status?.conditions?.find(({ type }) => type === "Ready");
    const row = [
      metadata.name,
      ready?.status ?? "Unknown",
      metadata.deletionTimestamp === undefined ? (ready?.reason ?? "Pending") : "Deleting",
      status?.shortRevision ?? "none",
      ageOf(metadata.creationTimestamp, nowMs),
      status?.summary ?? "",
    ];
    return namespaces ? [metadata.namespace, ...row] : row;
  });
  return formatColumns([namespaces ? ["NAMESPACE", ...titles] : titles, ...rows]);
}
