import ignore, { type Ignore } from "ignore";
import { showText } from "../engine/show-text.ts";
import { SourceError } from "../errors.ts";

/** Name of the file that excludes files, in the syntax of .gitignore. */
export const IGNORE_FILE = ".fairleadignore";

/**
 * Limits for patterns, which are converted to regular expressions and run on every name. They bound the time of the
 * worst patterns.
 */
const PATTERN_LIMIT = 500;
const LENGTH_LIMIT = 256;
const WILDCARD_LIMIT = 3;
/** Maximum length of a name that a pattern is run on; file systems allow no longer names. */
export const SEGMENT_LIMIT = 255;
export const PATH_LIMIT = 1_024;

/** Decides which paths are excluded. Paths of folders have no slash at their end. */
export interface IgnoreRules {
  isIgnored(path: string): boolean;
  /** Decides about the folders of a path, from the top down, and caches the decisions. Yields after each new decision. */
  decideFolders(path: string): Generator<undefined, void>;
}

/**
 * The rules of all `.fairleadignore` files together, as git reads `.gitignore` files: each applies to its folder and
 * everything below, deeper files have precedence, and nothing below an excluded folder can be included again.
 *
 * @param files Text of each such file by its path.
 * @throws {SourceError} `RenderLimit` for too many patterns, or one that would take too long.
 */
export function readIgnoreRules(files: ReadonlyMap<string, string>): IgnoreRules {
  const byFolder = new Map<string, Ignore>();
  let count = 0;
  for (const [path, text] of files) {
    const patterns = text.split(/\r?\n/);
    for (const [index, pattern] of patterns.entries()) {
      // As in git, a line of tabs is a pattern.
      if (/^ *$/.test(pattern) || pattern.startsWith("#")) continue;
      count++;
      refuse(pattern, count, `${showText(path)}:${index + 1}`);
    }
    byFolder.set(folderOf(path), ignore({ ignorecase: false }).add(patterns));
  }
  const folders = new Map<string, boolean>([["", false]]);
  const isFolderIgnored = (folder: string): boolean =>
    folders.getOrInsertComputed(
      folder,
      () => isFolderIgnored(folderOf(folder)) || matches(`${folder}/`, byFolder),
    );
  function* decideFolders(path: string): Generator<undefined, void> {
    if (byFolder.size === 0 || folders.has(folderOf(path))) return;
    for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) {
      const folder = path.slice(0, end);
      if (folders.has(folder)) continue;
      isFolderIgnored(folder);
      yield;
    }
  }
  return {
    decideFolders,
    isIgnored: (path) => byFolder.size > 0 && (isFolderIgnored(folderOf(path)) || matches(path, byFolder)),
  };
}

function refuse(pattern: string, count: number, where: string): void {
  const wildcards = pattern.match(/\*+/g)?.length ?? 0;
  if (count > PATTERN_LIMIT) {
    throw new SourceError("RenderLimit", `${where}: there are more than ${PATTERN_LIMIT} patterns`);
  }
  if (pattern.length > LENGTH_LIMIT || wildcards > WILDCARD_LIMIT) {
    throw new SourceError(
      "RenderLimit",
      `${where}: a pattern may have ${LENGTH_LIMIT} characters and ${WILDCARD_LIMIT} wildcards *`,
    );
  }
}

/** Applies the rules of the deepest folder first, and those of parent folders only if none of them matches. */
function matches(path: string, byFolder: ReadonlyMap<string, Ignore>): boolean {
  let folder = folderOf(path.endsWith("/") ? path.slice(0, -1) : path);
  for (;;) {
    const rules = byFolder.get(folder);
    if (rules !== undefined) {
      const { ignored, unignored } = rules.test(folder === "" ? path : path.slice(folder.length + 1));
      if (ignored || unignored) return ignored;
    }
    if (folder === "") return false;
    folder = folderOf(folder);
  }
}

/** The parent folder of a path; empty at the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
