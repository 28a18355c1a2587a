import { SourceError, type SourceFailure } from "../../errors.ts";
import { describeSimilarNames } from "./similar-names.ts";
import type { RefWish } from "./source-wish.ts";

/** No ref of the remote fits a wish; lists similar names. Pure. */
export function notThere(
  wish: Exclude<RefWish, { kind: "commit" }>,
  names: { readonly "refs/heads/": readonly string[]; readonly "refs/tags/": readonly string[] },
): SourceFailure {
  if (names["refs/heads/"].length + names["refs/tags/"].length === 0)
    return notFound("Cannot find a commit: the repository is empty");
  const [what, folder, wanted] =
    wish.kind === "semver"
      ? (["a tag in the range", "refs/tags/", wish.range] as const)
      : wish.ref.startsWith("refs/tags/")
        ? (["the tag", "refs/tags/", wish.ref.slice("refs/tags/".length)] as const)
        : (["the branch", "refs/heads/", wish.ref.slice("refs/heads/".length)] as const);
  const nearby = describeSimilarNames(wanted, names[folder]);
  return notFound(`Cannot find ${what} ${JSON.stringify(wanted)}${nearby}`);
}

/** The remote does not serve a commit. Pure. */
export function noCommit(id: string): SourceFailure {
  return notFound(`Cannot find the commit ${id}: the repository does not have it, or does not serve it`);
}

function notFound(message: string): SourceFailure {
  return new SourceError("SourceNotFound", message).failure;
}
