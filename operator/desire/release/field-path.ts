/** The keys from the root of an object to a field; `*` is any key or item. A pattern also matches all fields below. */
export type FieldPattern = readonly string[];

/** An element of a path: a name, an item of a list, or a quoted name. */
const part = /\.?([^.[\]"]+)|\[(\*|[0-9]+)\]|\["([^"]*)"\]/g;

/** Parses paths such as `spec.template.spec.containers[*].image` and `data["app.json"]`. Pure. */
export function patternsFor(paths: readonly string[]): readonly FieldPattern[] {
  return paths.map((path) =>
    [...path.matchAll(part)].map(([, name, item, quoted]) => name ?? item ?? quoted ?? ""),
  );
}

/** Whether one of the patterns matches a field, or a field above it. Pure. */
export function isNamed(patterns: readonly FieldPattern[], path: readonly string[]): boolean {
  let left = patterns;
  return path.some((key) => {
    left = after(left, key);
    return left.some(({ length }) => length === 0);
  });
}

/** The patterns for the fields below a key: the rest of each pattern that matches the key. Pure. */
export function after(patterns: readonly FieldPattern[], key: string | number): readonly FieldPattern[] {
  if (patterns.length === 0) return patterns;
  const name = String(key);
  return patterns
    .filter((pattern) => pattern[0] === "*" || pattern[0] === name)
    .map((pattern) => pattern.slice(1));
}

/** Appends a key to a path, in the format of specs and messages. Pure. */
export function extend(path: string, key: string | number): string {
  if (typeof key === "number") return `${path}[${key}]`;
  if (!/^[^.[\]"\s]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}
