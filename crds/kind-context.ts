import type { KubernetesObject } from "./object.ts";

/** Reports whether an instant has passed, and not the current time, so that a chart is a pure function. */
export interface KindClock {
  /**
   * Whether an instant has passed. If not, the resource is reconciled again as soon as it has.
   *
   * @param instant RFC 3339 text, as in a status or in the metadata of an object, or a Date.
   * @throws RangeError if it is not a point in time.
   */
  reached(instant: string | Date): boolean;
}

/** Status fields that cannot be recomputed from observed objects. */
export type Recorded = Readonly<Record<string, unknown>>;

/** The record of a kind without one. */
export type NoRecord = Readonly<Record<never, never>>;

/** The input of the functions of a kind in addition to its resource and the observed objects. */
export interface KindContext<Facts = NoRecord> {
  readonly clock: KindClock;
  /** The current record, as in the status. */
  readonly record: Facts;
}

/** The health of a resource, as its kind assesses it. */
export interface Verdict {
  /** `Suspended`: stopped on purpose; counts as healthy. */
  readonly status: "Current" | "InProgress" | "Failed" | "Suspended";
  /** What happened, for users. */
  readonly message: string;
  /** The object to which the message refers. */
  readonly object?: Pick<KubernetesObject, "kind" | "metadata"> | undefined;
  /**
   * The status is not written now: it may be over in a moment, or the status that is there says the same in what matters. Where time
   * decides, the kind has asked its clock for the instant from which it is worth a write. Default: false.
   */
  readonly isBrief?: boolean;
}

const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i;

/**
 * Milliseconds since 1970 of an RFC 3339 text or a Date.
 *
 * @throws RangeError if it is not a point in time.
 */
export function instantMs(instant: string | Date): number {
  const isText = typeof instant === "string";
  const atMs = isText ? (rfc3339.test(instant) ? Date.parse(instant) : Number.NaN) : instant.getTime();
  if (Number.isNaN(atMs)) throw new RangeError(`Cannot read instant "${instant}": it is not in RFC 3339`);
  return atMs;
}
