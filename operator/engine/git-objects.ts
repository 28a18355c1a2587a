import { createHash } from "node:crypto";

/** Object hash of a repository. */
export type ObjectFormat = "sha1" | "sha256";

/** Files by relative path; `/` separates folders. */
export type FolderFiles = ReadonlyMap<string, string>;

interface TreeNode {
  readonly files: Map<string, string>;
  readonly folders: Map<string, TreeNode>;
}

/** Id of the blob with this content, as computed by `git hash-object`. */
export function blobIdOf(content: string, format: ObjectFormat): string {
  return objectIdOf("blob", Buffer.from(content), format);
}

/**
 * Id of the git tree of these files, all of mode 100644. No files: the empty tree.
 *
 * @throws RangeError for a path that git cannot store: empty segments, `.`, `..`, `.git`, or a path that is both a file and
 * a folder.
 */
export function treeIdOf(files: FolderFiles, format: ObjectFormat): string {
  const root = emptyNode();
  for (const [path, content] of files) {
    assertGitPath(path);
    const segments = path.split("/");
    const name = segments.pop() ?? "";
    let node = root;
    for (const segment of segments) {
      if (node.files.has(segment)) throw new RangeError(`Cannot write "${path}": "${segment}" is a file`);
      const next = node.folders.get(segment) ?? emptyNode();
      node.folders.set(segment, next);
      node = next;
    }
    if (node.folders.has(name)) throw new RangeError(`Cannot write "${path}": it is a folder`);
    node.files.set(name, content);
  }
  return idOfNode(root, format);
}

/** Segments that leave the folder, git's own folder under each of its names, and characters that no path should have. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
const unsafe = /^\.{0,2}$|^(?:\.git|git~1)[ .]*$|[\\\u0000-\u001f\u007f]/i;
/** Characters that some file systems ignore in a name (git, utf8.c, `is_hfs_dotgit`). */
const ignoredInNames = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * The first segment of a path that git rejects, or that would leave the folder or change git's own folder on any system that
 * checks it out; undefined: there is none. Pure.
 */
export function unsafeSegmentOf(path: string): string | undefined {
  return path.split("/").find((segment) => unsafe.test(segment.replace(ignoredInNames, "")));
}

/**
 * Rejects paths with an unsafe segment, or with a colon, which separates parts of a file on some systems.
 *
 * @throws RangeError naming the path.
 */
export function assertGitPath(path: string): void {
  const segment = unsafeSegmentOf(path) ?? path.split("/").find((one) => one.includes(":"));
  if (segment !== undefined) throw new RangeError(`Cannot write "${path}": "${segment}" is not a safe name`);
}

function idOfNode(node: TreeNode, format: ObjectFormat): string {
  // Git sorts names bytewise, and compares the name of a folder as if it ended with a slash.
  const entries = [
    ...[...node.files].map(([name, content]) => ({
      sort: Buffer.from(name),
      head: `100644 ${name}\0`,
      id: blobIdOf(content, format),
    })),
    ...[...node.folders].map(([name, below]) => ({
      sort: Buffer.from(`${name}/`),
      head: `40000 ${name}\0`,
      id: idOfNode(below, format),
    })),
  ].sort((a, b) => Buffer.compare(a.sort, b.sort));
  const body = Buffer.concat(entries.flatMap(({ head, id }) => [Buffer.from(head), Buffer.from(id, "hex")]));
  return objectIdOf("tree", body, format);
}

function objectIdOf(type: "blob" | "tree", body: Buffer, format: ObjectFormat): string {
  return createHash(format).update(`${type} ${body.length}\0`).update(body).digest("hex");
}

function emptyNode(): TreeNode {
  return { files: new Map(), folders: new Map() };
}
