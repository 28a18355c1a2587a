import { readLeaseTrailer } from "../../engine/commit-message.ts";
import { isResourceFolder } from "../../engine/sweep.ts";
import type { LeaseTerm } from "../../ports.ts";
import type { OwnerFile } from "./owner-file.ts";

/** What is on the branch, as far as it concerns us. Compact: one id per folder. */
export interface BranchView {
  /** Undefined: the branch does not exist. */
  head: string | undefined;
  /** Git tree id by folder of a resource, below our root. */
  readonly trees: Map<string, string>;
  ownerFile: OwnerFile | "unreadable" | undefined;
  /** Fencing term of the commit at the head, if it is one of ours. */
  lease: LeaseTerm | undefined;
  /** Names directly below our root that are no folders: nothing may be written below them. */
  readonly files: ReadonlySet<string>;
}

export function emptyBranch(): BranchView {
  return { head: undefined, trees: new Map(), ownerFile: undefined, lease: undefined, files: new Set() };
}

export interface TreeEntry {
  readonly type: string;
  readonly mode: string;
  readonly id: string;
  readonly bytes: number;
  readonly path: string;
}

/** Reads `git ls-tree -z -l`. */
export function* readTreeEntries(listing: string): Generator<TreeEntry> {
  for (const line of listing.split("\0")) {
    const tab = line.indexOf("\t");
    if (tab === -1) continue;
    const [mode = "", type = "", id = "", size = "-"] = line.slice(0, tab).split(/ +/);
    yield { mode, type, id, bytes: Number(size) || 0, path: line.slice(tab + 1) };
  }
}

/** Reads `git ls-tree -r -d -z`: folders of resources below `root`, with their tree ids. */
export function readResourceFolders(listing: string, root: string): Map<string, string> {
  const trees = new Map<string, string>();
  const prefix = root === "" ? "" : `${root}/`;
  for (const { path, id } of readTreeEntries(listing)) {
    if (!path.startsWith(prefix)) continue;
    const folder = path.slice(prefix.length);
    if (isResourceFolder(folder)) trees.set(folder, id);
  }
  return trees;
}

/** Reads the term out of a raw commit object. */
export function readCommitLease(commit: string): LeaseTerm | undefined {
  const end = commit.indexOf("\n\n");
  return end === -1 ? undefined : readLeaseTrailer(commit.slice(end + 2));
}
