/** Names that are told when one is not there. */
const TOLD = 5;

/**
 * Which of the names that exist somebody may have meant, nearest first. Pure.
 *
 * @returns Text such as `; there are "main", "next" and 3 more`; empty if there are none.
 */
export function tellNearbyNames(wanted: string, names: readonly string[]): string {
  if (names.length === 0) return "";
  // Distances are worked out for names that can be near only: a repository may have thousands.
  const near = names
    .slice(0, 2_000)
    .map((name) => ({ name, distance: distanceOf(wanted.slice(0, 100), name.slice(0, 100)) }))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, TOLD)
    .map(({ name }) => JSON.stringify(name.slice(0, 100)));
  const more = names.length > near.length ? ` and ${names.length - near.length} more` : "";
  return `; there are ${near.join(", ")}${more}`;
}

/** Levenshtein's distance, row by row. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
