import { apiVersionOf, type ObjectKind } from "../../crds/object.ts";
import { WatchError } from "../errors.ts";
import type { Clock, Logger } from "../ports.ts";
import type { WatchEvent, WatchSource } from "./ports.ts";
import { yieldToEventLoop } from "./time-slice.ts";

/** A watch with a shorter duration counts as failed. */
const shortWatchMs = 1_000;
/** The server closes a watch after its timeout; if it is still open this long after that, its connection is broken. */
const overdueMs = 30_000;
/** For this long after a change of a definition, the server may keep watches open that drop its new fields. */
const outdatedMs = 150_000;
/** Events that are processed in one turn of the event loop. */
const eventsPerTurn = 200;

export interface WatchStreamInput {
  readonly source: WatchSource;
  readonly clock: Clock;
  readonly log: Logger;
  readonly resourceVersion: string;
  readonly sendInitialEvents: boolean;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
  /** The next event waits for the promise, if there is one. */
  readonly onEvent: (event: Exclude<WatchEvent, { type: "ERROR" }>) => Promise<void> | undefined;
  /** The watch has been open for a second. */
  readonly onLasting: () => void;
}

export interface WatchEnd {
  readonly received: boolean;
  readonly lasted: boolean;
  /** Undefined: closed normally, overdue or aborted. */
  readonly error: unknown;
  /**
   * The server ended a watch of custom resources before its timeout, a short time after an event. It does so when their
   * definition has changed, and until then it drops fields from the events that the definition did not have before.
   */
  readonly mayLackFields: boolean;
}

/** Follows one watch to its end. Never rejects. */
export async function followWatch(input: WatchStreamInput): Promise<WatchEnd> {
  const { source, clock, log, resourceVersion, sendInitialEvents, timeoutSeconds, onEvent, onLasting } =
    input;
  const overdue = new AbortController();
  const signal = AbortSignal.any([input.signal, overdue.signal]);
  const cancelOverdue = clock.schedule(timeoutSeconds * 1_000 + overdueMs, () => {
    log.warn("A watch exceeded its timeout; starting another", { timeoutSeconds });
    overdue.abort();
  });
  let lasted = false;
  const cancelLasting = clock.schedule(shortWatchMs, () => {
    lasted = true;
    onLasting();
  });
  let received = 0;
  let receivedMs = Number.NEGATIVE_INFINITY;
  const startMs = clock.now();
  const isOutdated = (): boolean => {
    const nowMs = clock.now();
    const isEarly = nowMs - startMs < timeoutSeconds * 1_000 - shortWatchMs;
    return isEarly && !signal.aborted && source.isCustomKind === true && nowMs - receivedMs < outdatedMs;
  };
  try {
    for await (const event of source.watch({ resourceVersion, sendInitialEvents, timeoutSeconds, signal })) {
      if (signal.aborted) break;
      received++;
      if (event.type === "ERROR") throw toError(event);
      if (event.type !== "BOOKMARK") receivedMs = clock.now();
      if (isOfKind(event, source.kind)) {
        const work = onEvent(event);
        if (work !== undefined) await work;
      } else logStranger(event, log);
      if (received % eventsPerTurn === 0) await yieldToEventLoop();
    }
    return { received: received > 0, lasted, error: undefined, mayLackFields: isOutdated() };
  } catch (failure) {
    const error = signal.aborted ? undefined : failure;
    return { received: received > 0, lasted, error, mayLackFields: false };
  } finally {
    cancelOverdue();
    cancelLasting();
  }
}

function toError({ status, reason, message }: Extract<WatchEvent, { type: "ERROR" }>): WatchError {
  return new WatchError(message, { status, reason });
}

function isOfKind(event: Exclude<WatchEvent, { type: "ERROR" }>, kind: ObjectKind): boolean {
  if (event.type === "BOOKMARK") return true;
  return event.object.kind === kind.kind && event.object.apiVersion === apiVersionOf(kind);
}

function logStranger(event: Exclude<WatchEvent, { type: "ERROR" }>, log: Logger): void {
  if (event.type === "BOOKMARK") return;
  const { apiVersion, kind } = event.object;
  log.warn("Dropped a watch event of another kind", { apiVersion, kind });
}
