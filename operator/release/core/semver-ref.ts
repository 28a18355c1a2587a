import semver from "semver";

/** Whether a text is a range of semantic versions, such as `>=1.2.0 <2.0.0` or `~1.4`. */
export function isSemverRange(range: string): boolean {
  return semver.validRange(range) !== null;
}

/**
 * The tag with the highest version in a range. Tags may begin with `v`; those that are no versions do not count, and
 * pre-releases count where the range itself names one of the same version (as npm and Flux have it). Pure.
 *
 * @returns Undefined: no tag is in the range. Of tags of one version (`v1.2.0` and `1.2.0`) the first in byte order.
 */
export function chooseTag(tags: Iterable<string>, range: string): string | undefined {
  let best: { readonly tag: string; readonly version: semver.SemVer } | undefined;
  const wanted = new semver.Range(range);
  for (const tag of tags) {
    const version = semver.parse(tag);
    if (version === null || !wanted.test(version)) continue;
    const order = best === undefined ? 1 : semver.compareBuild(version, best.version);
    if (order > 0 || (order === 0 && best !== undefined && tag < best.tag)) best = { tag, version };
  }
  return best?.tag;
}
