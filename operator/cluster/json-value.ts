/** A JSON object whose shape is not validated. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value as a JSON object; an empty one if it is anything else. */
export function objectIn(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** The value as a list; an empty one if it is anything else. */
export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as text; empty if it is anything else. */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}
