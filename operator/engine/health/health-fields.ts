import type { LiveObject } from "../../../crds/object.ts";
import type { Health } from "./health.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A condition in the common form of all kinds. Times are RFC 3339. */
export interface ObservedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

export function specOf(live: LiveObject): Fields {
  return toFields(live["spec"]);
}

export function statusOf(live: LiveObject): Fields {
  return toFields(live["status"]);
}

export function toFields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/** A number, or the default if it is absent: the server leaves zeros out. */
export function count(fields: Fields, name: string, otherwise = 0): number {
  const value = fields[name];
  return typeof value === "number" ? value : otherwise;
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function findCondition(live: LiveObject, type: string): ObservedCondition | undefined {
  const conditions = statusOf(live)["conditions"];
  if (!Array.isArray(conditions)) return undefined;
  return (
    (conditions as readonly (ObservedCondition | null)[]).find((condition) => condition?.type === type) ??
    undefined
  );
}

/** The rest of a period that began at a time, in milliseconds; 0 if it is over or the time cannot be parsed. */
export function remainingMs(since: string | number | undefined, periodMs: number, nowMs: number): number {
  const sinceMs = typeof since === "number" ? since : Date.parse(since ?? "");
  if (Number.isNaN(sinceMs)) return 0;
  // A clock that is set back, or is behind the server's, must not extend the period.
  return Math.min(periodMs, Math.max(0, sinceMs + periodMs - nowMs));
}

/** Whether the object's controller has not observed its newest spec yet. */
export function isUnobserved(live: LiveObject): boolean {
  const { generation } = live.metadata;
  return generation !== undefined && count(statusOf(live), "observedGeneration", generation) < generation;
}

export function current(message: string): Health {
  return { status: "Current", reason: "Current", message };
}

export function inProgress(reason: string, message: string, recheckAfterMs = 0): Health {
  return { status: "InProgress", reason, message, ...(recheckAfterMs > 0 && { recheckAfterMs }) };
}

export function failed(reason: string, message: string): Health {
  return { status: "Failed", reason, message };
}

export function suspended(message: string): Health {
  return { status: "Suspended", reason: "Suspended", message };
}

/** `1 pod`, `3 pods`. */
export function plural(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}
