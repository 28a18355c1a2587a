import type { ObjectFormat } from "../../engine/git-objects.ts";
import type { LeaseTerm } from "../../ports.ts";
import type { CommitInput } from "./commit-stream.ts";
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

/** A commit to push, and the head of the branch that it was built on. */
export interface CommitToPush {
  readonly commit: string;
  /** Undefined: the branch must not exist. */
  readonly parent: string | undefined;
}

/**
 * What became of a push: it landed; another writer was faster; or the remote could not change the branch because of this lock file,
 * which another git process holds or a killed one left.
 */
export type PushOutcome = "landed" | "moved" | { readonly lockedBy: string };

/**
 * A clone of one branch of the repository, and what git does with it. It decides nothing: what is committed, and whether it may
 * be pushed, is decided by a RepositoryBranch. One call at a time.
 */
export interface BranchClone {
  /** Hash of the clone's objects; sha1 before it is open. */
  readonly format: ObjectFormat;
  /** Finds the clone, or makes an empty one. Does nothing if it is open. */
  open(): Promise<void>;
  /** The commit at the head of the branch; undefined if there is no such branch. @throws GitError `RepositoryUnreachable` */
  readHead(): Promise<string | undefined>;
  /** Whether a commit is in the clone. */
  has(commit: string): Promise<boolean>;
  /** Gets the head of the branch into the clone, and gives its id. @throws GitError `RepositoryUnreachable`, `CacheBroken` */
  fetch(): Promise<string>;
  /** What a commit holds below our root. @throws GitError `CacheBroken` when the clone does not have it */
  readBranch(head: string): Promise<BranchView>;
  /** Writes a commit into the clone and gives its id. @throws GitError `CacheBroken` */
  writeCommit(commit: CommitInput): Promise<string>;
  /**
   * Puts a commit on top of its parent, if the parent is still the head of the branch.
   *
   * @param beforeSend Called directly before it is sent; throwing prevents that.
   * @throws GitError `PushRefused`, `ObjectFormat`, `CacheBroken`; `RepositoryUnreachable` (it may have landed)
   */
  push(commit: CommitToPush, beforeSend?: () => void): Promise<PushOutcome>;
  /** Keeps the clone small. @throws GitError `CacheBroken` when it has grown too big */
  tidy(): Promise<void>;
  /** Throws the clone away and makes an empty one. After an error it is not open. */
  rebuild(format: ObjectFormat): Promise<void>;
  /** Ends what runs, at once. Nothing can be done with it any more but to close it. */
  kill(): void;
  /** Lets another process use the clone. Call it when nothing runs any more. */
  close(): Promise<void>;
}
