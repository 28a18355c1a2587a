type Fields = Readonly<Record<string, unknown>>;

interface ManagedFields {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1?: Fields;
}

/** A live object with its managedFields, as from `kubectl get --show-managed-fields`. */
export interface ManagedObject {
  readonly metadata: { readonly managedFields?: readonly ManagedFields[] };
}

/** The fields of a live object that belong to one field manager through server-side apply. */
export function ownedFields(live: ManagedObject, manager: string): unknown {
  const entries = (live.metadata.managedFields ?? []).filter(
    (entry) => entry.manager === manager && entry.operation === "Apply" && entry.subresource === undefined,
  );
  if (entries.length !== 1) throw new Error(`${entries.length} managedFields entries of "${manager}"`);
  return extract(live, entries[0]?.fieldsV1 ?? {});
}

function extract(live: unknown, owned: Fields): unknown {
  const names = Object.keys(owned).filter((name) => name !== ".");
  if (names.length === 0) return live;
  if (!Array.isArray(live)) {
    const fields = live as Fields;
    return Object.fromEntries(
      names.map((name) => [name.slice(2), extract(fields[name.slice(2)], owned[name] as Fields)]),
    );
  }
  return names.map((name) => {
    const wanted: unknown = JSON.parse(name.slice(2));
    if (name.startsWith("v:")) return wanted;
    const keys = Object.entries(wanted as Fields);
    const item = live.find((candidate: Fields) => keys.every(([key, value]) => candidate[key] === value));
    return extract(item, owned[name] as Fields);
  });
}
