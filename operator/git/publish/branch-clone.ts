import type { ObjectFormat } from "../../engine/git-objects.ts";
import type { LeaseTerm } from "../../ports.ts";
import type { CommitInput } from "./commit-stream.ts";
import type { OwnerFile } from "./owner-file.ts";

/** The part of the branch that concerns the operator. Compact: one id per folder. */
export interface BranchView {
  /** Undefined: the branch does not exist. */
  head: string | undefined;
  /** Git tree id by folder of a resource, below the root. */
  readonly trees: Map<string, string>;
  ownerFile: OwnerFile | "unreadable" | undefined;
  /** Fencing term of the head commit, if the operator wrote it. */
  lease: LeaseTerm | undefined;
  /** Names of files directly below the root: nothing may be written below them. */
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
 * Result of a push: it succeeded; another writer pushed first; or the remote could not update the branch because of this
 * lock file, which another git process holds or a killed one left.
 */
export type PushOutcome = "pushed" | "moved" | { readonly lockedBy: string };

/**
 * A clone of one branch of the repository, and the git commands on it. What is committed, and whether it may be pushed,
 * is decided by a RepositoryBranch. One call at a time.
 */
export interface BranchClone {
  /** Object hash of the clone; sha1 before it is open. */
  readonly format: ObjectFormat;
  /** Opens the clone, or creates an empty one. Does nothing if it is open. */
  open(): Promise<void>;
  /** The head commit of the branch; undefined if there is no such branch. @throws GitError `RepositoryUnreachable` */
  readHead(): Promise<string | undefined>;
  /** Whether a commit is in the clone. */
  has(commit: string): Promise<boolean>;
  /**
   * Fetches the head of the branch into the clone, and returns its id. @throws GitError `RepositoryUnreachable`,
   * `CacheBroken`
   */
  fetch(): Promise<string>;
  /** Reads the content of a commit below the root. @throws GitError `CacheBroken` when the clone does not have it */
  readBranch(head: string): Promise<BranchView>;
  /** Writes a commit into the clone and returns its id. @throws GitError `CacheBroken` */
  writeCommit(commit: CommitInput): Promise<string>;
  /**
   * Pushes a commit if its parent is still the head of the branch.
   *
   * @param beforeSend Called directly before it is sent; throwing prevents that.
   * @throws GitError `PushRefused`, `ObjectFormat`, `CacheBroken`; `RepositoryUnreachable` (the push may have succeeded)
   */
  push(commit: CommitToPush, beforeSend?: () => void): Promise<PushOutcome>;
  /** Limits the size of the clone. @throws GitError `CacheBroken` when it is too large */
  tidy(): Promise<void>;
  /** Deletes the clone and creates an empty one. After an error it is not open. */
  rebuild(format: ObjectFormat): Promise<void>;
  /** Kills running git processes. After that, only {@link close} may be called. */
  kill(): void;
  /** Releases the lock on the clone. Call it when nothing runs in it. */
  close(): Promise<void>;
}
