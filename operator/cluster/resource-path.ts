import type { ObjectKind } from "../../crds/object.ts";

/** Path of all objects of a kind: in one namespace, or in all. */
export function collectionPath({ group, version, plural }: ObjectKind, namespace?: string): string {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespace === undefined ? `${root}/${plural}` : `${root}/namespaces/${segment(namespace)}/${plural}`;
}

/** Path of one object, or of one of its subresources. */
export function objectPath(
  kind: ObjectKind,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
  subresource?: string,
): string {
  const path = `${collectionPath(kind, kind.namespaced ? namespace : undefined)}/${segment(name)}`;
  return subresource === undefined ? path : `${path}/${segment(subresource)}`;
}

/** A path with a query; undefined parameters are omitted. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) parts.push(`${name}=${encodeURIComponent(value)}`);
  return parts.length === 0 ? path : `${path}?${parts.join("&")}`;
}

// Names may come from objects of other users: a name must never change the path.
function segment(name: string): string {
  if (name === "" || name === "." || name === "..")
    throw new TypeError(`Cannot address "${name}": not a name`);
  return encodeURIComponent(name);
}
