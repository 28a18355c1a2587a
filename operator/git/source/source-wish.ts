import { refOf } from "../../../crds/source.ts";
import { SourceError } from "../../errors.ts";
import { parseRemoteUrl, type RemoteUrl, RemoteUrlError } from "../remote-url.ts";
import type { SourceRequest } from "./ports.ts";
import { isSemverRange } from "./semver-ref.ts";

/** Identifies the wanted commit. */
export type RefWish =
  /** `ref` is a full name: `refs/heads/main`, `refs/tags/v1`. */
  | { readonly kind: "ref"; readonly ref: string }
  | { readonly kind: "semver"; readonly range: string }
  | { readonly kind: "commit"; readonly id: string };

/** The only wanted ref that can be pushed to, with its key; undefined: there are several, or tags by their version. Pure. */
export function onlyRefOf(
  wishes: ReadonlyMap<string, RefWish>,
): { readonly key: string; readonly ref: string } | undefined {
  // A commit does not change.
  const [only, ...others] = [...wishes].filter(([, { kind }]) => kind !== "commit");
  if (only === undefined || others.length > 0) return undefined;
  const [key, wish] = only;
  return wish.kind === "ref" ? { key, ref: wish.ref } : undefined;
}

/** The validated request of a resource for a part of a repository. */
export interface SourceWish {
  readonly remote: RemoteUrl;
  readonly ref: RefWish;
  /** Key of the ref within the repository. */
  readonly refKey: string;
  /** Folders from the root down; none: the root itself. */
  readonly segments: readonly string[];
  /** Key of the folder of the ref within the repository. */
  readonly placeKey: string;
}

/**
 * Validates the source of a resource.
 *
 * @throws SourceError `SourceInvalid` with the correct form.
 */
export function readSourceWish(
  { source, revision }: Pick<SourceRequest, "source" | "revision">,
  { allowFile }: { readonly allowFile: boolean },
): SourceWish {
  const remote = readUrl(source.url);
  if (remote.protocol === "file" && !allowFile) {
    throw new SourceError(
      "SourceInvalid",
      "Cannot use the source: repositories on the operator's own disk are not allowed; use https:// or ssh://",
    );
  }
  const ref = readRef(refOf(source), revision);
  const [refKey, segments] = [refKeyOf(ref), readPath(source.path)];
  // Written once: a push looks for the folders of thousands of resources.
  return { remote, ref, refKey, segments, placeKey: placeKeyOf(refKey, [segments]) };
}

/** Whether two wishes select the same folder of the same ref. */
export function isSameWish(a: SourceWish, b: SourceWish): boolean {
  return a === b || a.placeKey === b.placeKey;
}

/** Key of folders of a ref. */
export function placeKeyOf(refKey: string, folders: readonly (readonly string[])[]): string {
  return JSON.stringify([refKey, folders]);
}

function readUrl(url: string): RemoteUrl {
  try {
    return parseRemoteUrl(url);
  } catch (error) {
    if (!(error instanceof RemoteUrlError)) throw error;
    const message = error.message.replace("put them into files and name their folder", "use secretRef");
    throw new SourceError("SourceInvalid", message, { cause: error });
  }
}

function readRef(ref: ReturnType<typeof refOf>, revision: string | undefined): RefWish {
  const commit = revision ?? ref.commit;
  if (commit !== undefined) {
    if (!/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(commit))
      throw badRef("commit", commit, "it is not a full commit id");
    return { kind: "commit", id: commit };
  }
  if (ref.pipeline !== undefined)
    throw new SourceError(
      "SourceInvalid",
      `Cannot use the source: Pipeline ${JSON.stringify(ref.pipeline)} has not set spec.revision`,
    );
  if (ref.semver !== undefined) {
    if (!isSemverRange(ref.semver)) throw badRef("semver", ref.semver, "it is not a version range");
    return { kind: "semver", range: ref.semver };
  }
  const [kind, name, folder] =
    ref.tag === undefined
      ? (["branch", ref.branch ?? "", "refs/heads"] as const)
      : (["tag", ref.tag, "refs/tags"] as const);
  if (!isRefName(name)) throw badRef(kind, name, "git does not allow this name");
  return { kind: "ref", ref: `${folder}/${name}` };
}

/** The rules of `git check-ref-format` for the part after `refs/heads/`. */
function isRefName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (name === "" || name === "@" || /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|^\/|[/.]$/.test(name))
    return false;
  return name.split("/").every((part) => !part.startsWith(".") && !part.endsWith(".lock"));
}

function readPath(path: string): readonly string[] {
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".");
  for (const segment of segments) {
    if (segment === "..") throw badPath(path, "it is outside of the repository");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
    if (/^\.git$/i.test(segment) || /[\u0000-\u001f\u007f]/.test(segment)) {
      throw badPath(path, "a repository cannot have this folder");
    }
  }
  return segments;
}

function refKeyOf(ref: RefWish): string {
  switch (ref.kind) {
    case "ref":
      return ref.ref;
    case "semver":
      return `semver:${ref.range}`;
    case "commit":
      return ref.id;
  }
}

function badRef(kind: string, name: string, why: string): SourceError {
  return new SourceError("SourceInvalid", `Cannot use the ${kind} ${JSON.stringify(name)}: ${why}`);
}

function badPath(path: string, why: string): SourceError {
  return new SourceError("SourceInvalid", `Cannot use the path ${JSON.stringify(path)}: ${why}`);
}
