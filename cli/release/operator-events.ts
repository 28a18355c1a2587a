import { Event } from "../../crds/core-kinds.ts";
import type { KubernetesObject } from "../../crds/object.ts";
import { Release } from "../../crds/release.ts";
import { reportingController } from "../../operator/cluster/event-series.ts";
import { ageOf } from "./age-text.ts";
import type { ApiClient } from "./api-client.ts";
import { formatColumns } from "./columns.ts";
import type { ReleaseObject } from "./release-object.ts";

/** An event of events.k8s.io/v1. */
export interface OperatorEvent extends KubernetesObject {
  readonly type?: string;
  readonly reason?: string;
  readonly note?: string;
  readonly eventTime?: string | null;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string } | null;
  readonly regarding?: { readonly kind?: string; readonly namespace?: string; readonly name?: string };
}

export interface EventsPlace {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  /** Undefined: all objects that the operator reports on. */
  readonly release: Pick<ReleaseObject, "metadata"> | undefined;
}

/** Events of the operator, oldest first. */
export async function readEvents(
  client: ApiClient,
  { namespace, release }: EventsPlace,
): Promise<readonly OperatorEvent[]> {
  const fields = {
    reportingController,
    ...(release && { "regarding.kind": Release.kind, "regarding.name": release.metadata.name }),
  };
  const fieldSelector = Object.entries(fields)
    .map(([field, value]) => `${field}=${value}`)
    .join(",");
  const found = (await client.list(Event, { namespace, fieldSelector })) as readonly OperatorEvent[];
  return found.toSorted((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1));
}

/** Time of the last occurrence of an event. Pure. */
export function timeOf({ eventTime, series, metadata }: OperatorEvent): string {
  return series?.lastObservedTime ?? eventTime ?? metadata.creationTimestamp ?? "";
}

export interface EventsTableOptions {
  /** Whether to show the namespace of the object of each event. */
  readonly namespaces: boolean;
  readonly nowMs: number;
}

/** Events as a table, one line each. Pure. */
export function formatEvents(
  events: readonly OperatorEvent[],
  { namespaces, nowMs }: EventsTableOptions,
): readonly string[] {
  const rows = events.map((event) => {
    const { type = "", reason = "", note = "", series, regarding = {} } = event;
    const count = series?.count ?? 1;
    const place = namespaces && regarding.namespace !== undefined ? `${regarding.namespace}/` : "";
    return [
      `${ageOf(timeOf(event), nowMs)}${count > 1 ? ` (${count} times)` : ""}`,
      type,
      reason,
      `${regarding.kind ?? ""} ${place}${regarding.name ?? ""}`,
      note.replaceAll(/\s+/g, " "),
    ];
  });
  return formatColumns([["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"], ...rows]);
}
