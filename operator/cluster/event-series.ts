import { Event } from "../../crds/core-kinds.ts";
import { apiVersionOf, type LiveObject } from "../../crds/object.ts";
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
/** Limits of the API server: bytes of a note; and room for the suffix in a name of 253. */
const longestNoteBytes = 1_024;
const longestNameStart = 230;

/** One event and how often it happened. Makes the requests; knows nothing of sending them. */
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
  /** The cluster has the event. */
  #isCreated = false;
  /** Occurrences so far. */
  count = 1;
  /** When it last happened, and when that was last written, on the monotonic clock. */
  lastMs: number;
  writtenMs: number;

  constructor(event: RecordedEvent, made: Moment & { readonly instance: string; readonly suffix: string }) {
    const { name, namespace } = event.regarding.metadata;
    this.#event = { ...event, regarding: referenceTo(event.regarding) };
    this.#instance = made.instance;
    this.#name = `${name.slice(0, longestNameStart)}.${made.suffix}`;
    // Events of objects without a namespace live in "default": the API server takes no other.
    this.#namespace = namespace ?? "default";
    this.#firstAt = made.at;
    this.#lastAt = made.at;
    this.#createdMs = made.nowMs;
    this.lastMs = made.nowMs;
    this.writtenMs = made.nowMs;
  }

  /** Whether an occurrence with this note is counted here. */
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

  /** Occurrences that the event in the cluster does not tell of. */
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

  /** The cluster has the event now. */
  created(): void {
    this.#isCreated = true;
  }

  /** Undefined when the event in the cluster tells all already, or there is none yet. */
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

  /** The last count that was sent has arrived. */
  countWritten(nowMs: number): void {
    this.#writtenCount = this.#sentCount;
    this.writtenMs = nowMs;
  }
}

/** A series lives for minutes: the object itself, up to a megabyte of it, must not live as long. */
function referenceTo({ apiVersion, kind, metadata, ours }: LiveObject): LiveObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, uid, resourceVersion, ...(namespace && { namespace }) },
    ours,
  };
}

/** MicroTime takes six digits and nothing else. */
function microTime(at: Date): string {
  return at.toISOString().replace("Z", "000Z");
}

function withinBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  // Cut inside a character, the decoder would leave a mark in its place: taken away again.
  const cut = Buffer.from(text)
    .subarray(0, bytes - 3)
    .toString("utf8")
    .replace(/\uFFFD+$/, "");
  return `${cut}…`;
}
