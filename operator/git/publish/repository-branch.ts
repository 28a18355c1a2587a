import { composeCommitMessage, isLaterTerm } from "../../engine/commit-message.ts";
import type { ObjectFormat } from "../../engine/git-objects.ts";
import { NotLeadingError } from "../../errors.ts";
import type { LeaseTerm } from "../../ports.ts";
import { GitError, isGitError, isKilled } from "../git-errors.ts";
import {
  type BranchClone,
  type BranchView,
  type CommitToPush,
  emptyBranch,
  type PushOutcome,
} from "./branch-clone.ts";
import type { FolderChange } from "./commit-stream.ts";
import { isSameOwner, OWNER_FILE, writeOwnerFile } from "./owner-file.ts";
import type { PendingFolder } from "./publish-ledger.ts";
import { type GitPublisherOptions, type GitStats, noStats } from "./publisher-options.ts";

export type RepositoryBranchOptions = Pick<
  GitPublisherOptions,
  "clone" | "root" | "owner" | "version" | "clock" | "fence" | "term" | "confirmLeadership"
>;

/** The changes of one commit. */
export interface BranchChange {
  readonly write: readonly PendingFolder[];
  /** Folders to remove, with titles for the message. */
  readonly remove: ReadonlyMap<string, string>;
  /** This commit removes the approval of a sweep from the owner file. */
  readonly usesApproval: boolean;
}

interface Overtaken {
  /** Undefined: the branch did not exist. */
  readonly parent: string | undefined;
  /** Path of the lock file that the remote reported. */
  readonly lock: string | undefined;
}

/** The operator's part of one branch of a remote repository: its content and its updates. One call at a time. */
export class RepositoryBranch {
  readonly #options: RepositoryBranchOptions;
  readonly #clone: BranchClone;
  readonly #stats: GitStats = noStats();
  /** The content of the branch, as far as known. Own commits are added at once. */
  #view: BranchView | undefined;
  /** Number of commands that failed although the remote had just responded: from two on, the clone may be damaged. */
  #unexplained = 0;
  /** A push that another writer seems to have overtaken: if its parent is still at the head, the push was rejected. */
  #overtaken: Overtaken | undefined;

  constructor(options: RepositoryBranchOptions) {
    this.#options = options;
    this.#clone = options.clone;
  }

  get view(): BranchView | undefined {
    return this.#view;
  }

  get format(): ObjectFormat {
    return this.#clone.format;
  }

  get stats(): GitStats {
    return this.#stats;
  }

  /** Recreates the clone. */
  async rebuild(format: ObjectFormat): Promise<void> {
    this.#stats.rebuilds++;
    this.#view = undefined;
    // Once per outage: if a new clone fails too, the clone was not the cause.
    this.#unexplained = Number.NEGATIVE_INFINITY;
    await this.#clone.rebuild(format);
  }

  /**
   * Polls the remote, and fetches only missing objects.
   *
   * @returns The view, if it has changed.
   */
  async poll(): Promise<BranchView | undefined> {
    const clone = this.#clone;
    await clone.open();
    const overtaken = this.#overtaken;
    this.#overtaken = undefined;
    // After a push that was overtaken there is something to fetch, so the head need not be read first.
    const hasMoved = overtaken?.parent !== undefined;
    let head = hasMoved ? await this.#fetch() : await this.#ask();
    if (overtaken !== undefined && overtaken.parent === head)
      throw new GitError("PushRefused", describeLock(overtaken.lock));
    if (this.#view !== undefined && this.#view.head === head) return undefined;
    const isHere = hasMoved || head === undefined || (await clone.has(head));
    if (!isHere) head = await this.#fetch();
    this.#view = head === undefined ? emptyBranch() : await clone.readBranch(head);
    return this.#view;
  }

  /**
   * Pushes one commit to the branch.
   *
   * @returns Its id; undefined if another writer pushed first: poll, and retry.
   * @throws GitError `RepositoryOwned`, NotLeadingError, `PushRefused`, `RepositoryUnreachable`, `CacheBroken`
   */
  async land(change: BranchChange): Promise<string | undefined> {
    const stats = this.#stats;
    const view = this.#view;
    if (view === undefined) throw new Error("Cannot commit: the branch has not been read yet");
    this.assertOurs();
    await this.#assertCurrentTerm(view);
    const lease = this.#options.term();
    const commit = await this.#clone.writeCommit({
      ...this.#inputOf(change, view, lease),
      parent: view.head,
    });
    stats.commits++;
    const outcome = await this.#explained(() => this.#push({ commit, parent: view.head }));
    if (outcome !== "pushed") {
      stats.retried++;
      const lock = outcome === "moved" ? undefined : outcome.lockedBy;
      this.#overtaken = { parent: view.head, lock };
      return undefined;
    }
    stats.pushed++;
    view.lease = lease;
    if (view.ownerFile === undefined || change.usesApproval) {
      view.ownerFile = { owner: this.#options.owner, approveSweep: undefined };
    }
    return commit;
  }

  /** Limits the size of the clone. @throws GitError `CacheBroken` when it is too large. */
  async tidy(): Promise<void> {
    await this.#clone.tidy();
  }

  /** Whether this operator owns the root, or it has no owner. */
  get isOurs(): boolean {
    const file = this.#view?.ownerFile;
    return file === undefined || (file !== "unreadable" && isSameOwner(file.owner, this.#options.owner));
  }

  /** @throws GitError `RepositoryOwned` when the root belongs to another operator. */
  assertOurs(): void {
    const file = this.#view?.ownerFile;
    if (file === undefined || this.isOurs) return;
    const where = this.#below(OWNER_FILE);
    if (file === "unreadable")
      throw new GitError(
        "RepositoryOwned",
        `${where} is not a file of Fairlead; use another folder or remove it`,
      );
    throw new GitError(
      "RepositoryOwned",
      `${where} says that Lease ${file.owner.lease} of cluster ${file.owner.cluster} writes here; use another folder or remove it`,
    );
  }

  /** A commit with a later term is at the head: only the Lease itself shows which instance leads. */
  async #assertCurrentTerm(view: BranchView): Promise<void> {
    this.#options.fence.check();
    if (!isLaterTerm(view.lease, this.#options.term())) return;
    if (!(await this.#options.confirmLeadership())) throw new NotLeadingError();
  }

  #inputOf({ write, remove, usesApproval }: BranchChange, view: BranchView, lease: LeaseTerm | undefined) {
    const { owner, version, clock } = this.#options;
    const folders: FolderChange[] = [
      ...[...remove.keys()].map((folder) => ({ path: this.#below(folder), files: undefined })),
      ...write.map(({ folder, files }) => ({ path: this.#below(folder), files })),
    ];
    for (const { folder } of write) {
      const [first = ""] = folder.split("/");
      if (view.files.has(first))
        throw new GitError(
          "PushRefused",
          `"${this.#below(first)}" is a file, but a folder of this name is needed`,
        );
    }
    // Written with the first commit, again after its removal, and without a used approval.
    const claims = view.ownerFile === undefined || usesApproval;
    const files = new Map(claims ? [[this.#below(OWNER_FILE), writeOwnerFile(owner)]] : []);
    const message = composeCommitMessage({ applied: write, removed: [...remove.values()], version, lease });
    return { folders, files, message, committedAt: clock.wallClock() };
  }

  #below(path: string): string {
    return this.#options.root === "" ? path : `${this.#options.root}/${path}`;
  }

  async #ask(): Promise<string | undefined> {
    this.#stats.lsRemotes++;
    return await this.#clone.readHead();
  }

  async #push(commit: CommitToPush): Promise<PushOutcome> {
    try {
      return await this.#clone.push(commit, () => {
        this.#options.fence.check();
        this.#stats.pushes++;
      });
    } catch (error) {
      if (isGitError(error, "PushRefused")) this.#stats.refused++;
      throw error;
    }
  }

  async #fetch(): Promise<string> {
    this.#stats.fetches++;
    return await this.#explained(() => this.#clone.fetch());
  }

  async #explained<T>(command: () => Promise<T>): Promise<T> {
    try {
      const result = await command();
      this.#unexplained = 0;
      return result;
    } catch (error) {
      if (!isGitError(error, "RepositoryUnreachable") || isKilled(error)) throw error;
      if (++this.#unexplained < 2) throw error;
      throw new GitError("CacheBroken", error.message, { cause: error });
    }
  }
}

/**
 * Why a push failed although the branch did not move. Only users can find out whether the process that created the lock
 * still runs.
 */
function describeLock(lock: string | undefined): string {
  if (lock === undefined)
    return "the remote could not update the branch, and no other writer did; if this persists, look for a stale lock file below refs/heads";
  return `the remote could not update the branch because of a lock that a git process holds or a killed one left; if this persists and no git process uses the repository, run on its host: rm '${lock}'`;
}
