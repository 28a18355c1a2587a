import type { Condition } from "../../crds/conditions.ts";

export type EventType = "Normal" | "Warning";

/** An event about a resource. */
export interface Announcement {
  readonly type: EventType;
  readonly reason: string;
  readonly action: string;
  readonly note: string;
  /** A frequent event: of many at once, only some are recorded. */
  readonly isRoutine?: boolean;
}

/** Conditions that cause an event when they become false, and the verb of their step. */
const watched = { Sourced: "Source", Applied: "Apply", Healthy: "Check", Published: "Publish" } as const;

/** Reasons of states that end by themselves. */
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
 * The events of a change of status: a Warning when a condition became false or its cause changed, and a Normal
 * one when it recovers. Nothing for a resource that was healthy from the start. Pure.
 */
export function announceTransitions(
  before: readonly Condition[],
  after: readonly Condition[],
  { cause, warnOn = [] }: TransitionOptions = {},
): readonly Announcement[] {
  const own = warnOn.flatMap((type): Announcement[] => {
    const isTrue = (condition: Condition): boolean => condition.type === type && condition.status === "True";
    const now = after.find(isTrue);
    if (now === undefined || before.some(isTrue)) return [];
    // An event needs a reason.
    return [{ type: "Warning", reason: now.reason || type, action: "Check", note: now.message }];
  });
  const engines = Object.entries(watched).flatMap(([type, action]): Announcement[] => {
    const old = before.find((condition) => condition.type === type);
    const now = after.find((condition) => condition.type === type);
    if (now === undefined) return [];
    const { reason, message: note } = now;
    if (type === "Healthy" && isHeldUp(now, old, cause)) return [{ type: "Warning", reason, action, note }];
    if (isBad(now)) {
      // A repeated cause is reported once: the message of a failing pod may count restarts.
      return old?.status === "False" && old.reason === reason
        ? []
        : [{ type: "Warning", reason, action, note }];
    }
    return now.status === "True" && isBad(old) ? [{ type: "Normal", reason, action, note }] : [];
  });
  return [...engines, ...own];
}

/** Still in progress, but since now with a known obstacle: the deadline may be long. */
function isHeldUp(now: Condition, old: Condition | undefined, cause: string | undefined): boolean {
  if (cause === undefined || now.status !== "False" || isBad(now)) return false;
  return now.message.includes(cause) && old?.message.includes(cause) !== true;
}

function isBad(condition: Condition | undefined): boolean {
  return condition?.status === "False" && !quiet.has(condition.reason);
}
