import type { LiveObject } from "../../crds/object.ts";
import { ObjectRejectedError } from "../../operator/errors.ts";
import type { Addition } from "../../synth/manifest.ts";

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The fields of a value in the form FieldsV1, with lists as one field each. */
export function fieldsV1Of(value: unknown): Fields {
  if (!isFields(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [`f:${name}`, fieldsV1Of(inner)]));
}

/** An object after an addition by server-side apply. */
export function withFieldsOf(found: LiveObject, { manifest, fieldManager }: Addition): LiveObject {
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...set } = manifest;
  const { addedFields = {}, ...rest } = found;
  const { [fieldManager]: before, ...others } = addedFields;
  const now = fieldsV1Of(set);
  const held = Object.values(others).reduce<unknown>(merge, {}) as Fields;
  refuseHeld(found, set, held);
  const kept = without(rest, isFields(before) ? before : {}, merge(held, now) as Fields);
  const changed = merge(kept, set) as LiveObject;
  const managers = Object.keys(now).length === 0 ? others : { ...others, [fieldManager]: now };
  return Object.keys(managers).length === 0 ? changed : { ...changed, addedFields: managers };
}

function refuseHeld(live: unknown, set: Fields, held: Fields, path = ""): void {
  for (const [name, value] of Object.entries(set)) {
    const [inner, by] = [isFields(live) ? live[name] : undefined, held[`f:${name}`]];
    if (isFields(value) && isFields(by)) refuseHeld(inner, value, by, `${path}.${name}`);
    else if (by !== undefined && inner !== value)
      throw new ObjectRejectedError("held", `${path}.${name}: conflict`);
  }
}

function merge(a: unknown, b: unknown): unknown {
  if (!isFields(a) || !isFields(b)) return b;
  const merged: Record<string, unknown> = { ...a };
  for (const [name, value] of Object.entries(b)) merged[name] = merge(merged[name], value);
  return merged;
}

/** The value without the fields that only this manager owned, and no longer sets. */
function without(value: Fields, had: Fields, kept: Fields): Fields {
  const left: Record<string, unknown> = { ...value };
  for (const [element, inner] of Object.entries(had)) {
    const name = element.slice(2);
    const [here, stays] = [left[name], kept[element]];
    if (isFields(here) && isFields(inner) && Object.keys(inner).length > 0)
      left[name] = without(here, inner, isFields(stays) ? stays : {});
    else if (stays === undefined) delete left[name];
  }
  return left;
}

/** An object after a resource has set fields of it. */
export function addedBy(live: LiveObject, manager: string, set: object): LiveObject {
  return {
    ...(merge(live, set) as LiveObject),
    addedFields: { ...live.addedFields, [manager]: fieldsV1Of(set) },
  };
}

/** The target of the addition, for requests in a list. */
export function nameOfAddition({ manifest, subresource, fields }: Addition): string {
  return `add ${manifest.kind}/${manifest.metadata.name} ${subresource ?? (fields?.join(" ") || "nothing")}`;
}
