/** Suggestions for a name that does not exist. */
const LISTED = 5;
/** Limits for the names that are compared, because a repository decides how many it has, and how long they are. */
const NAMES = 2_000;
/** Number of names whose distance is computed; it takes up to 10,000 steps for each. */
const COMPARED = 100;
const LENGTH = 100;

/**
 * The existing names that are similar to a wanted one, nearest first. Pure.
 *
 * @returns Text such as `; existing names: "main", "next" and 3 more`; empty if there are none.
 */
export function describeSimilarNames(wanted: string, names: readonly string[]): string {
  if (names.length === 0) return "";
  const start = wanted.slice(0, LENGTH);
  const near = names
    .slice(0, NAMES)
    .map((name) => ({ name, start: name.slice(0, LENGTH) }))
    .map((candidate) => ({ ...candidate, alike: likenessOf(start, candidate.start) }))
    .sort((a, b) => b.alike - a.alike)
    .slice(0, COMPARED)
    .map((candidate) => ({ name: candidate.name, distance: distanceOf(start, candidate.start) }))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, LISTED)
    .map(({ name }) => JSON.stringify(name.slice(0, LENGTH)));
  const more = names.length > near.length ? ` and ${names.length - near.length} more` : "";
  return `; existing names: ${near.join(", ")}${more}`;
}

/** A cheap estimate of similarity: the length of the common prefix and suffix, minus the difference in length. */
function likenessOf(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let first = 0;
  while (first < length && a[first] === b[first]) first++;
  let last = 0;
  while (last < length - first && a.at(-1 - last) === b.at(-1 - last)) last++;
  return first + last - Math.abs(a.length - b.length);
}

/** Levenshtein distance, computed row by row. */
function distanceOf(a: string, b: string): number {
  const row = Uint16Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    let diagonal = row[0] ?? 0;
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const above = row[j] ?? 0;
      const swap = diagonal + (a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1);
      row[j] = Math.min(swap, above + 1, (row[j - 1] ?? 0) + 1);
      diagonal = above;
    }
  }
  return row.at(-1) ?? 0;
}
