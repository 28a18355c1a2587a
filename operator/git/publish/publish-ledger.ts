import { assertGitPath, type FolderFiles, type ObjectFormat, treeIdOf } from "../../engine/git-objects.ts";
import { isResourceFolder } from "../../engine/sweep.ts";
import type { PublishOffer, PublishState } from "../../ports.ts";
import type { BranchView } from "./branch-clone.ts";
import { type LedgerEntry as Entry, type Failure, stateOf, toText } from "./ledger-entry.ts";

/** A folder to write, in its state at the start of the commit. */
export interface PendingFolder {
  readonly folder: string;
  readonly title: string;
  readonly generation: number;
  readonly tree: string;
  readonly files: FolderFiles;
  readonly trailers?: readonly string[] | undefined;
  readonly origin?: PublishOffer["origin"] | undefined;
}

/** The desired content of the branch, by folder. Synchronous; uses neither git nor a clock. */
export class PublishLedger {
  readonly #entries = new Map<string, Entry>();
  /** Folders whose entry has files to commit, and the time since when. */
  readonly #pending = new Map<string, number>();
  /** Folders to remove, with the title of the resource that they belonged to. */
  readonly #retired = new Map<string, string>();
  /** Folders to leave on the branch as they are. */
  readonly #left = new Set<string>();
  /**
   * Folders whose state may have changed since it was last computed: computing it for thousands of folders takes long.
   */
  #unsure = new Set<string>();
  #view: BranchView | undefined;
  #format: ObjectFormat = "sha1";
  #emptyTree = treeIdOf(new Map(), "sha1");
  #failure: Failure | undefined;

  /** Records an offer and returns its state. */
  publish(offer: PublishOffer, nowMs: number): PublishState {
    const { folder, digest } = offer;
    this.#retired.delete(folder);
    this.#left.delete(folder);
    const known = this.#entries.get(folder);
    const entry = known?.digest === digest ? known : this.#newEntry(offer, nowMs);
    // The branch no longer has what was written: write it again.
    if (entry === known && entry.files === undefined && !this.#isOnBranch(folder, entry)) {
      this.#render(entry, offer);
      entry.sinceMs = nowMs;
    }
    const { owner, title, generation } = offer;
    const trailers = entry.files && offer.trailers;
    const origin = entry.files && offer.origin;
    Object.assign(entry, { owner, title, generation, trailers, origin });
    this.#entries.set(folder, entry);
    this.#settle(folder, entry);
    const state = this.#answer(folder, entry);
    entry.told = toText(state);
    return state;
  }

  /** Records the deletion of a resource. */
  retire(folder: string, { keepFiles = false }: { readonly keepFiles?: boolean } = {}): void {
    const title = this.#entries.get(folder)?.title ?? folder;
    this.#entries.delete(folder);
    this.#pending.delete(folder);
    if (keepFiles) {
      this.#left.add(folder);
      this.#retired.delete(folder);
      return;
    }
    if (this.#view === undefined || this.#view.trees.has(folder)) this.#retired.set(folder, title);
  }

  /** Whether a resource offered this folder. */
  has(folder: string): boolean {
    return this.#entries.has(folder);
  }

  /** Whether something is to be committed, as far as known. */
  get hasWork(): boolean {
    return this.#pending.size > 0 || this.#retired.size > 0;
  }

  get pendingCount(): number {
    return this.#pending.size + this.#retired.size;
  }

  /** The folders to write, in no particular order. */
  pendingFolders(): Iterable<string> {
    return this.#pending.keys();
  }

  /** Since when the oldest folder has been waiting to be written, on the monotonic clock; undefined: none waits. */
  get oldestPendingMs(): number | undefined {
    const oldest = this.#pending.values().reduce((a, b) => Math.min(a, b), Infinity);
    return oldest === Infinity ? undefined : oldest;
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** While the reason is the same, the first message stays: owners are notified once, not for every attempt. */
  setFailure(failure: Failure | undefined): void {
    if (failure?.reason === this.#failure?.reason) return;
    this.#failure = failure;
    this.#unsure = new Set(this.#entries.keys());
  }

  /** Sets the current content of the branch. */
  setBranch(view: BranchView, format: ObjectFormat): void {
    this.#view = view;
    this.#unsure = new Set(this.#entries.keys());
    if (format !== this.#format) {
      this.#format = format;
      this.#emptyTree = treeIdOf(new Map(), format);
      for (const entry of this.#entries.values()) if (entry.files) entry.tree = treeIdOf(entry.files, format);
    }
    for (const [folder, entry] of this.#entries) this.#settle(folder, entry);
    for (const folder of this.#retired.keys()) if (!view.trees.has(folder)) this.#retired.delete(folder);
  }

  /** Folders to write, sorted by name. */
  pending(): PendingFolder[] {
    const folders: PendingFolder[] = [];
    for (const folder of [...this.#pending.keys()].sort()) {
      const entry = this.#entries.get(folder);
      if (entry?.files === undefined) continue;
      const { title, generation, tree, files, trailers, origin } = entry;
      folders.push({ folder, title, generation, tree, files, trailers, origin });
    }
    return folders;
  }

  /** Folders to remove because their resource was deleted, with titles. */
  retired(): ReadonlyMap<string, string> {
    return this.#retired;
  }

  /** Records that a commit of these folders is on the branch. */
  recordPush(written: readonly PendingFolder[], removed: Iterable<string>, commit: string): void {
    if (this.#view === undefined) return;
    for (const { folder, tree } of written) {
      if (tree === this.#emptyTree) this.#view.trees.delete(folder);
      else this.#view.trees.set(folder, tree);
    }
    for (const folder of removed) {
      this.#view.trees.delete(folder);
      this.#retired.delete(folder);
      this.#unsure.add(folder);
    }
    this.#view.head = commit;
    for (const { folder, title, tree } of written) {
      this.#unsure.add(folder);
      const entry = this.#entries.get(folder);
      if (entry === undefined) {
        // Its resource was deleted during the push: the folder must be removed.
        if (this.#view.trees.has(folder) && !this.#left.has(folder)) this.#retired.set(folder, title);
        continue;
      }
      if (entry.tree === tree) entry.commit = commit;
      this.#settle(folder, entry);
    }
  }

  /** Owners whose state has changed since it was last reported. Each is listed once. */
  changed(): PublishOffer["owner"][] {
    const owners: PublishOffer["owner"][] = [];
    for (const folder of this.#unsure) {
      const entry = this.#entries.get(folder);
      if (entry === undefined) continue;
      const told = toText(this.#answer(folder, entry));
      if (told === entry.told) continue;
      entry.told = told;
      owners.push(entry.owner);
    }
    this.#unsure.clear();
    return owners;
  }

  #newEntry(offer: PublishOffer, nowMs: number): Entry {
    const { owner, title, generation, folder, digest, last } = offer;
    assertGitPath(folder);
    // Only folders of this layout are read from the branch: any other folder would be written again in every round.
    if (!isResourceFolder(folder))
      throw new RangeError(`Cannot publish to "${folder}": not a resource's folder`);
    const nothing = { tree: "", commit: undefined, files: undefined, trailers: undefined, origin: undefined };
    const entry: Entry = { owner, title, generation, digest, sinceMs: nowMs, told: "", ...nothing };
    // Until the branch has been read, the recorded status is the best information.
    const trusted =
      last?.digest === digest && (this.#view === undefined || this.#treeOf(folder) === last.tree);
    if (last !== undefined && trusted) Object.assign(entry, { tree: last.tree, commit: last.commit });
    else this.#render(entry, offer);
    return entry;
  }

  #render(entry: Entry, { render, last }: PublishOffer): void {
    entry.files = render();
    entry.tree = treeIdOf(entry.files, this.#format);
    entry.commit = last?.tree === entry.tree ? last.commit : undefined;
  }

  /** Updates `pending`, files and commit to match the branch. */
  #settle(folder: string, entry: Entry): void {
    if (this.#view === undefined || !this.#isOnBranch(folder, entry)) {
      if (entry.files !== undefined) this.#pending.set(folder, this.#pending.get(folder) ?? entry.sinceMs);
      return;
    }
    // Another writer committed it, or the response to the push was lost: the head is the closest known commit.
    entry.commit ??= this.#view.head;
    entry.files = undefined;
    entry.trailers = undefined;
    entry.origin = undefined;
    this.#pending.delete(folder);
  }

  #answer(folder: string, entry: Entry): PublishState {
    return stateOf(entry, { isOnBranch: this.#isOnBranch(folder, entry), failure: this.#failure });
  }

  #isOnBranch(folder: string, entry: Entry): boolean {
    if (this.#view === undefined) return entry.files === undefined;
    return this.#treeOf(folder) === entry.tree;
  }

  /** A folder that does not exist counts as empty: git does not distinguish the two either. */
  #treeOf(folder: string): string {
    return this.#view?.trees.get(folder) ?? this.#emptyTree;
  }
}
