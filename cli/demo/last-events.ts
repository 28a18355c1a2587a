import { setTimeout as sleep } from "node:timers/promises";
import type { EventRow } from "../live-table.ts";
import type { ApiClient } from "../release/api-client.ts";
import { type OperatorEvent, readEvents, timeOf } from "../release/operator-events.ts";

/** The last events of the operator. */
export interface LastEvents {
  readonly rows: readonly EventRow[];
  /** Sets the callback for changes of the rows; a later call replaces it. */
  onChange(call: () => void): void;
}

const looksMs = 1_000;
const mostEvents = 5;

/**
 * Reads the operator's events once a second, until the result's `stop` is called. If they cannot be read (no permission,
 * an unavailable server), the last ones stay.
 */
export function followEvents(client: ApiClient): LastEvents & { stop(): void } {
  const ending = new AbortController();
  let rows: readonly EventRow[] = [];
  let changed = (): void => {};
  const look = async (): Promise<void> => {
    const next = lastRows(await readEvents(client, { namespace: undefined, release: undefined }));
    if (JSON.stringify(next) === JSON.stringify(rows)) return;
    rows = next;
    changed();
  };
  const { signal } = ending;
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      await look().catch(() => {});
      await sleep(looksMs, undefined, { signal }).catch(() => {});
    }
  };
  void follow();
  return {
    get rows() {
      return rows;
    },
    onChange(call) {
      changed = call;
    },
    stop: () => ending.abort(),
  };
}

/** The newest events as rows, the newest last. Pure. */
export function lastRows(events: readonly OperatorEvent[]): readonly EventRow[] {
  return events.slice(-mostEvents).map((event) => {
    const { reason = "", note = "", regarding = {}, series } = event;
    const { kind = "", namespace, name = "" } = regarding;
    return {
      time: timeOf(event).slice(11, 19),
      event: (series?.count ?? 1) > 1 ? `${reason} (${series?.count} times)` : reason,
      object: `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`,
      message: note.replaceAll(/\s+/g, " "),
    };
  });
}
