import type { CustomResource } from "../../../crds/object.ts";
import type { ReleaseSpec } from "../../../crds/release.ts";
import type { ReleaseRule } from "../../../crds/release-policy.ts";
import { INSTALLATION, type Limits, refusedBy } from "./limits.ts";

/** A branch and a folder of the operator's repository. The folder has no leading or trailing slashes. */
export interface Place {
  readonly branch: string;
  readonly root: string;
}

export function isSamePlace(a: Place, b: Place): boolean {
  return a.branch === b.branch && a.root === b.root;
}

/**
 * Why a Release may not publish to a location. Pure.
 *
 * The operator's own location is always allowed, because each Release has its own folder there. Any other location must be
 * allowed by every rule that has `publish`, and there must be at least one such rule.
 *
 * @param own The operator's own location.
 * @returns Undefined: the location is allowed.
 */
export function findPlaceRefusal(place: Place, own: Place, limits: Limits): string | undefined {
  if (isSamePlace(place, own)) return undefined;
  const deciding = limits.filter(({ rule }) => rule.publish !== undefined);
  const against = deciding.find(({ rule }) => !rule.publish?.some((allowed) => covers(allowed, place, own)));
  if (deciding.length > 0 && against === undefined) return undefined;
  const where = `${place.root === "" ? "the root" : `folder "${place.root}"`} of branch "${place.branch}"`;
  return refusedBy(against?.from ?? INSTALLATION, `Releases of this namespace may not publish to ${where}`);
}

/** The location in the spec of a Release, as text. Empty parts: those of the operator's own location. Pure. */
export function placeInSpec({ spec }: CustomResource): string {
  const { branch = "", path = "" } = (spec as Partial<ReleaseSpec>).publish ?? {};
  return `${branch} ${trimFolder(path)}`;
}

type AllowedPlace = NonNullable<ReleaseRule["publish"]>[number];

function covers({ branch, path }: AllowedPlace, place: Place, own: Place): boolean {
  if (!matchesPattern(branch ?? own.branch, place.branch)) return false;
  if (path === undefined) return place.root === own.root;
  const folder = trimFolder(path);
  return folder === "" || place.root === folder || place.root.startsWith(`${folder}/`);
}

/** Whether a name is equal to the pattern, or begins with the text before a final `*` of the pattern. */
export function matchesPattern(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** Removes leading and trailing slashes: `./a/b/` becomes `a/b`. `.` becomes empty, which is the repository itself. */
export function trimFolder(path: string): string {
  const trimmed = path.replace(/^(\.?\/+)+/, "").replace(/\/+$/, "");
  return trimmed === "." ? "" : trimmed;
}
