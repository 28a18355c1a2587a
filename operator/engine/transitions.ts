import type { Condition } from "../../crds/conditions.ts";

export type EventType = "Normal" | "Warning";

/** An event about a resource. */
export interface Announcement {
  readonly type: EventType;
  readonly reason: string;
  readonly action: string;
  readonly note: string;
  /** Whether the event is frequent. Of many such events at once, only some are created. */
  readonly isRoutine?: boolean;
}

/** An event about a condition that became false or recovered. */
export interface Transition extends Announcement {
  /** The reason of the failure that has ended. Undefined: none has. */
  readonly ended?: string;
}

/** Conditions that cause an event when they become false, and the action of the event. */
const watched = { Sourced: "Source", Applied: "Apply", Healthy: "Check", Published: "Publish" } as const;

/** Reasons of temporary states. */
const quiet: ReadonlySet<string> = new Set([
  "Progressing",
  "Pending",
  "Suspended",
  "Deleting",
  "SourcePending",
  "DependencyNotReady",
  "PinPending",
]);

export interface TransitionOptions {
  /** The known cause of a delay of the objects. */
  readonly cause?: string | undefined;
  /** Types of a kind's own conditions that cause a Warning when they become true. */
  readonly warnOn?: readonly string[];
}

/**
 * The events for a change of the status: a Warning when a condition becomes false or its cause changes, and a Normal event
 * when it recovers. None for a resource that was healthy from the start. Pure.
 */
export function announceTransitions(
  before: readonly Condition[],
  after: readonly Condition[],
  { cause, warnOn = [] }: TransitionOptions = {},
): readonly Transition[] {
  const own = warnOn.flatMap((type): Transition[] => {
    const isTrue = (condition: Condition): boolean => condition.type === type && condition.status === "True";
    const now = after.find(isTrue);
    if (now === undefined || before.some(isTrue)) return [];
    // The API server requires a reason.
    return [{ type: "Warning", reason: now.reason || type, action: "Check", note: now.message }];
  });
  const engines = Object.entries(watched).flatMap(([type, action]): Transition[] => {
    const old = before.find((condition) => condition.type === type);
    const now = after.find((condition) => condition.type === type);
    if (now === undefined) return [];
    const { reason, message: note } = now;
    if (type === "Healthy" && isHeldUp(now, old, cause)) return [{ type: "Warning", reason, action, note }];
    if (isBad(now)) {
      // Report a repeated cause only once, because the message of a failing pod may contain the number of restarts.
      return old?.status === "False" && old.reason === reason
        ? []
        : [{ type: "Warning", reason, action, note }];
    }
    if (now.status !== "True" || old === undefined || !isBad(old)) return [];
    return [{ type: "Normal", reason, action, note, ended: old.reason }];
  });
  return [...engines, ...own];
}

/** Whether a resource in progress now has a known obstacle. It is reported, because the deadline may be long. */
function isHeldUp(now: Condition, old: Condition | undefined, cause: string | undefined): boolean {
  if (cause === undefined || now.status !== "False" || isBad(now)) return false;
  return now.message.includes(cause) && old?.message.includes(cause) !== true;
}

function isBad(condition: Condition | undefined): boolean {
  return condition?.status === "False" && !quiet.has(condition.reason);
}
