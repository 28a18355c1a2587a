import { isSameJson } from "../../synth/same-json.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * The merge patch from one status to another; undefined: they are equal. It contains every field of the new status, so that
 * required fields are never missing, and null for each removed field.
 */
export function statusPatch(previous: unknown, next: Fields): Fields | undefined {
  const before = isFields(previous) ? previous : {};
  return isSameJson(before, next) ? undefined : withNulls(before, next);
}

function withNulls(previous: Fields, next: Fields): Fields {
  const body: Record<string, unknown> = {};
  for (const name of Object.keys(previous)) {
    if (next[name] === undefined) body[name] = null;
  }
  for (const [name, value] of Object.entries(next)) {
    const before = previous[name];
    if (value !== undefined)
      body[name] = isFields(value) && isFields(before) ? withNulls(before, value) : value;
  }
  return body;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
