/** Names from an object down to a field; `*` is any key or item. What is below the field is meant, too. */
export type FieldPattern = readonly string[];

/** A name, an item of a list, or a name in quotes. */
const part = /\.?([^.[\]"]+)|\[(\*|[0-9]+)\]|\["([^"]*)"\]/g;

/** Reads paths such as `spec.template.spec.containers[*].image` and `data["app.json"]`. Pure. */
export function patternsFor(paths: readonly string[]): readonly FieldPattern[] {
  return paths.map((path) =>
    [...path.matchAll(part)].map(([, name, item, quoted]) => name ?? item ?? quoted ?? ""),
  );
}

/** Whether one of the patterns means a field, or a field above it. Pure. */
export function isNamed(patterns: readonly FieldPattern[], path: readonly string[]): boolean {
  let left = patterns;
  return path.some((key) => {
    left = after(left, key);
    return left.some(({ length }) => length === 0);
  });
}

/** What is left of the patterns that mean a key, or what is below it. Pure. */
export function after(patterns: readonly FieldPattern[], key: string | number): readonly FieldPattern[] {
  if (patterns.length === 0) return patterns;
  const name = String(key);
  return patterns
    .filter((pattern) => pattern[0] === "*" || pattern[0] === name)
    .map((pattern) => pattern.slice(1));
}

/** The path of what is at a key, as it is declared and shown. Pure. */
export function extend(path: string, key: string | number): string {
  if (typeof key === "number") return `${path}[${key}]`;
  if (!/^[^.[\]"\s]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}
