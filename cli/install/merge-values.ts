/** Values as users write them, without defaults. */
export type Values = Readonly<Record<string, unknown>>;

/**
 * Merges values into earlier ones: maps are merged, everything else is replaced. Null removes an earlier value, so that
 * its default applies again. Pure.
 */
export function mergeValues(earlier: Values, given: Values): Values {
  return withoutNulls(overlay(earlier, given));
}

/** Values without null entries, at any depth, and without maps that are empty after that. Pure. */
export function withoutNulls(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      if (value === null) return [];
      if (!isMap(value) || Object.keys(value).length === 0) return [[name, value]];
      const rest = withoutNulls(value);
      return Object.keys(rest).length === 0 ? [] : [[name, rest]];
    }),
  );
}

function overlay(earlier: Values, given: Values): Values {
  const merged = new Map(Object.entries(earlier));
  for (const [name, value] of Object.entries(given)) {
    const before = merged.get(name);
    merged.set(name, isMap(before) && isMap(value) ? overlay(before, value) : value);
  }
  return Object.fromEntries(merged);
}

/** Each single value in the form of `--set`: `replicas=3`, `releases.policy.kinds.clusterScoped=false`. Pure. */
export function toSettings(values: Values, prefix = ""): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const path = `${prefix}${name.replaceAll(".", "\\.")}`;
    if (isMap(value) && Object.keys(value).length > 0) return toSettings(value, `${path}.`);
    return [`${path}=${typeof value === "string" ? value : JSON.stringify(value)}`];
  });
}

function isMap(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
