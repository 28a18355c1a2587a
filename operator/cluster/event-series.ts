import { Event } from "../../crds/core-kinds.ts";
import { apiVersionOf, type LiveObject } from "../../crds/object.ts";
import { microTime } from "../engine/election.ts";
import type { EventType } from "../engine/transitions.ts";
import { collectionPath, objectPath } from "./resource-path.ts";
import type { ApiRequest } from "./transport.ts";

export interface RecordedEvent {
  readonly regarding: LiveObject;
  readonly type: EventType;
  readonly reason: string;
  readonly action: string;
  readonly note: string;
}

interface Moment {
  /** On the monotonic clock. */
  readonly nowMs: number;
  readonly at: Date;
}

/** Reporter fields of this operator's events. */
export const reportingController = "fairlead.dev/operator";
/** Limits of the API server: bytes of a note, and characters of a name, with space for the suffix. */
const longestNoteBytes = 1_024;
const longestNameStart = 230;

/** One event and its number of occurrences. Creates the requests, and does not send them. */
export class EventSeries {
  readonly #event: RecordedEvent;
  readonly #instance: string;
  readonly #name: string;
  readonly #namespace: string;
  readonly #firstAt: Date;
  #createdMs: number;
  #lastAt: Date;
  #sentCount = 1;
  #writtenCount = 1;
  /** Whether the event exists in the cluster. */
  #isCreated = false;
  /** Number of occurrences so far. */
  count = 1;
  /** Times of the last occurrence and of the last write, on the monotonic clock. */
  lastMs: number;
  writtenMs: number;

  constructor(event: RecordedEvent, made: Moment & { readonly instance: string; readonly suffix: string }) {
    const { name, namespace } = event.regarding.metadata;
    this.#event = { ...event, regarding: referenceTo(event.regarding) };
    this.#instance = made.instance;
    this.#name = `${name.slice(0, longestNameStart)}.${made.suffix}`;
    // Events of objects without a namespace must be in "default": the API server rejects any other namespace.
    this.#namespace = namespace ?? "default";
    this.#firstAt = made.at;
    this.#lastAt = made.at;
    this.#createdMs = made.nowMs;
    this.lastMs = made.nowMs;
    this.writtenMs = made.nowMs;
  }

  /** Whether an occurrence with this note counts for this event. */
  takes(
    note: string,
    { nowMs, noteIntervalMs }: { readonly nowMs: number; readonly noteIntervalMs: number },
  ): boolean {
    return note === this.#event.note || nowMs - this.#createdMs < noteIntervalMs;
  }

  repeat({ nowMs, at }: Moment): void {
    this.count += 1;
    this.lastMs = nowMs;
    this.#lastAt = at;
  }

  /** Whether there are occurrences that are not written to the event in the cluster. */
  get hasUnwritten(): boolean {
    return this.count !== this.#writtenCount;
  }

  createRequest(): ApiRequest {
    const { regarding, type, reason, action, note } = this.#event;
    const { name, namespace, uid, resourceVersion } = regarding.metadata;
    const { apiVersion, kind } = regarding;
    const body = {
      apiVersion: apiVersionOf(Event),
      kind: Event.kind,
      metadata: { name: this.#name, namespace: this.#namespace },
      eventTime: microTime(this.#firstAt),
      reportingController,
      reportingInstance: this.#instance,
      regarding: {
        apiVersion,
        kind,
        name,
        ...(namespace && { namespace }),
        uid,
        ...(resourceVersion && { resourceVersion }),
      },
      type,
      reason,
      action,
      note: withinBytes(note, longestNoteBytes),
    };
    return { method: "POST", path: collectionPath(Event, this.#namespace), body: JSON.stringify(body) };
  }

  /** Records that the event exists in the cluster. */
  created(): void {
    this.#isCreated = true;
  }

  /** Undefined when the event in the cluster is up to date, or does not exist yet. */
  countRequest(): ApiRequest | undefined {
    if (!this.hasUnwritten || !this.#isCreated) return undefined;
    this.#sentCount = this.count;
    const series = { count: this.count, lastObservedTime: microTime(this.#lastAt) };
    return {
      method: "PATCH",
      path: objectPath(Event, { namespace: this.#namespace, name: this.#name }),
      contentType: "application/merge-patch+json",
      body: JSON.stringify({ series }),
    };
  }

  /** Records that the last sent count was written. */
  countWritten(nowMs: number): void {
    this.#writtenCount = this.#sentCount;
    this.writtenMs = nowMs;
  }
}

/** A series exists for minutes: it must not keep the whole object, which may have a megabyte, in memory. */
function referenceTo({ apiVersion, kind, metadata, ours }: LiveObject): LiveObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, uid, resourceVersion, ...(namespace && { namespace }) },
    ours,
  };
}

function withinBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  // If the cut splits a character, the decoder adds a replacement character, which is removed.
  const cut = Buffer.from(text)
    .subarray(0, bytes - 3)
    .toString("utf8")
    .replace(/\uFFFD+$/, "");
  return `${cut}…`;
}
