import type { Limits } from "./limits.ts";

/**
 * Public keys, in the format of a Secret's data. One of them must have signed a commit. Pure.
 *
 * @returns Undefined: no rule names keys. For several such rules: the keys that all of them contain, possibly none.
 */
export function allowedSigners(limits: Limits): ReadonlyMap<string, string> | undefined {
  const lists = limits.flatMap(({ rule }) =>
    rule.verify?.keys === undefined ? [] : [rule.verify.keys.map(trim)],
  );
  const [first, ...others] = lists;
  if (first === undefined) return undefined;
  const common = first.filter((key) => others.every((list) => list.includes(key)));
  return new Map(common.map((key, index) => [`${index}${key.startsWith("-----") ? ".asc" : ".pub"}`, key]));
}

function trim(key: string): string {
  return key.trim();
}
