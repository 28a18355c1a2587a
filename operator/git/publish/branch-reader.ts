import { readLeaseTrailer } from "../../engine/commit-message.ts";
import { isResourceFolder } from "../../engine/sweep.ts";
import { type BranchView, emptyBranch } from "./branch-clone.ts";
import { OWNER_FILE, OWNER_FILE_BYTES, type OwnerFile, readOwnerFile } from "./owner-file.ts";

interface TreeEntry {
  readonly type: string;
  readonly mode: string;
  readonly id: string;
  readonly bytes: number;
  readonly path: string;
}

/** Reads the content of the branch, in a clone that has it. */
export class BranchReader {
  readonly #read: (command: readonly string[]) => Promise<string>;
  readonly #root: string;
  /** The last owner file that was read: it rarely changes. */
  #owner: { readonly id: string; readonly mode: string; readonly file: OwnerFile | "unreadable" } | undefined;

  /**
   * @param read Runs git in the clone.
   * @param root Folder below which it reads; empty for the repository itself.
   */
  constructor(read: (command: readonly string[]) => Promise<string>, root: string) {
    this.#read = read;
    this.#root = root;
  }

  /** Reads the content of a commit below the root. @throws GitError `CacheBroken` when the clone does not have it. */
  async read(head: string): Promise<BranchView> {
    const root = this.#root;
    // Because of the dot, git cannot take the folder for an option.
    const below = root === "" ? [] : [`./${root}/`];
    const [folders, direct, commit] = await Promise.all([
      this.#read(["ls-tree", "-r", "-d", "-z", "--full-tree", head, ...below]),
      this.#read(["ls-tree", "-z", "-l", "--full-tree", head, ...below]),
      this.#read(["cat-file", "commit", head]),
    ]);
    const prefix = root === "" ? "" : `${root}/`;
    const entries = [...readTreeEntries(direct)];
    const owner = entries.find(({ path }) => path === `${prefix}${OWNER_FILE}`);
    const files = entries
      .filter(({ type }) => type !== "tree")
      .map(({ path }) => path.slice(path.lastIndexOf("/") + 1));
    const end = commit.indexOf("\n\n");
    return {
      ...emptyBranch(),
      head,
      trees: readResourceFolders(folders, prefix),
      files: new Set(files),
      lease: end === -1 ? undefined : readLeaseTrailer(commit.slice(end + 2)),
      ownerFile: owner && (await this.#readOwner(owner)),
    };
  }

  async #readOwner({ id, mode, type, bytes }: TreeEntry): Promise<OwnerFile | "unreadable"> {
    if (this.#owner?.id !== id || this.#owner.mode !== mode) {
      const readable = type === "blob" && mode !== "120000" && bytes <= OWNER_FILE_BYTES;
      const file = readable ? readOwnerFile(await this.#read(["cat-file", "blob", id])) : "unreadable";
      this.#owner = { id, mode, file };
    }
    return this.#owner.file;
  }
}

/** Parses the output of `git ls-tree -z -l`. */
function* readTreeEntries(listing: string): Generator<TreeEntry> {
  for (const line of listing.split("\0")) {
    const tab = line.indexOf("\t");
    if (tab === -1) continue;
    const [mode = "", type = "", id = "", size = "-"] = line.slice(0, tab).split(/ +/);
    yield { mode, type, id, bytes: Number(size) || 0, path: line.slice(tab + 1) };
  }
}

/** Parses the output of `git ls-tree -r -d -z`: folders of resources below a folder, with their tree ids. */
function readResourceFolders(listing: string, prefix: string): Map<string, string> {
  const trees = new Map<string, string>();
  for (const { path, id } of readTreeEntries(listing)) {
    if (!path.startsWith(prefix)) continue;
    const folder = path.slice(prefix.length);
    if (isResourceFolder(folder)) trees.set(folder, id);
  }
  return trees;
}
