import type { CommitSpan, SpanAuthor } from "../../../crds/kind-source.ts";
import { type AuthoredCommit, readAuthoredCommit } from "./commit-author.ts";
import type { ObjectReader } from "./object-reader.ts";

/** Bounds of a span. */
export const spanLimits = {
  /** Maximum number of commits that are read for one span, also those that only determine its end. */
  commits: 2_000,
  /** Maximum number of different addresses. */
  authors: 100,
} as const;

export const spanProblems = [
  /** A commit is not in the clone, such as in a shallow one, or after the branch was rewritten. */
  "MissingHistory",
  /** `until` does not come after `since`. */
  "NotAncestor",
  "TooManyCommits",
  "TooManyAuthors",
  /** The author of a commit is ambiguous or invalid. */
  "Unreadable",
] as const;

/** Why the authors of a span cannot be determined. */
export interface SpanProblem {
  readonly is: (typeof spanProblems)[number];
  /** The commit that has the problem. */
  readonly commit?: string | undefined;
}

export type FoundAuthors = { readonly authors: readonly SpanAuthor[] } | { readonly problem: SpanProblem };

/** Larger commit objects are not read: their author is unknown. */
const COMMIT_BYTES = 256 * 1024;
/** Number of commits that are read at once. */
const BATCH = 32;

interface Node {
  readonly id: string;
  /** Whether `since` contains it: it is outside of the span. */
  isOld: boolean;
  isRead: boolean;
  /** Undefined: it was not read, or is not in the clone. */
  commit: AuthoredCommit | undefined;
  /** Whether its parents have been visited. */
  isExpanded: boolean;
}

/**
 * Finds the authors of the commits of a span, through all parents. Commits are visited from the newest on, and commits
 * that `since` contains are excluded. Forged times can only add commits to the result, never remove them.
 *
 * @throws GitError `CacheBroken`, `Killed`
 */
export async function findSpanAuthors(
  { since, until }: CommitSpan,
  reader: Pick<ObjectReader, "read">,
): Promise<FoundAuthors> {
  const walk = new SpanWalk(reader);
  const start = [{ id: until, isOld: until === since }];
  if (since !== undefined && since !== until) start.push({ id: since, isOld: true });
  let isBounded = await walk.discover(start);
  for (let next = walk.next(); isBounded && next !== undefined; next = walk.next())
    isBounded = await walk.expand(next);
  const { span } = walk;
  const missing = span.find(({ commit, isRead }) => isRead && commit === undefined);
  if (missing !== undefined) return { problem: { is: "MissingHistory", commit: missing.id } };
  return isBounded ? assess(span, { since, until }) : { problem: { is: "TooManyCommits" } };
}

/** The authors of the commits of a span, all of which were read. */
function assess(span: readonly Node[], { since, until }: CommitSpan): FoundAuthors {
  const authors = new Map<string, SpanAuthor>();
  for (const { id, commit } of span) {
    if (commit?.email === undefined) return { problem: { is: "Unreadable", commit: id } };
    const key = commit.email.toLowerCase();
    if (!authors.has(key)) authors.set(key, { email: commit.email, commit: id });
  }
  const follows =
    since === undefined ||
    since === until ||
    span.some(({ commit }) => commit?.parents.includes(since) === true);
  if (!follows) return { problem: { is: "NotAncestor" } };
  if (authors.size > spanLimits.authors) return { problem: { is: "TooManyAuthors" } };
  return { authors: [...authors.values()] };
}

class SpanWalk {
  readonly #reader: Pick<ObjectReader, "read">;
  readonly #nodes = new Map<string, Node>();

  constructor(reader: Pick<ObjectReader, "read">) {
    this.#reader = reader;
  }

  /** The commits of the span, in the order in which they were found. */
  get span(): readonly Node[] {
    return [...this.#nodes.values()].filter(({ isOld }) => !isOld);
  }

  /** Reads commits that were not read before. @returns False: the limit for a span is exceeded. */
  async discover(found: readonly Pick<Node, "id" | "isOld">[]): Promise<boolean> {
    const fresh: Node[] = [];
    for (const { id, isOld } of found) {
      const known = this.#nodes.get(id);
      if (known !== undefined) {
        if (isOld) this.#leaveOut(known);
        continue;
      }
      const node: Node = { id, isOld, isRead: false, commit: undefined, isExpanded: false };
      this.#nodes.set(id, node);
      fresh.push(node);
    }
    if (this.#nodes.size > spanLimits.commits) return false;
    for (let at = 0; at < fresh.length; at += BATCH) {
      const batch = fresh.slice(at, at + BATCH);
      const objects = await this.#reader.read(
        batch.map(({ id }) => id),
        COMMIT_BYTES,
      );
      for (const [index, node] of batch.entries()) {
        const object = objects[index];
        node.isRead = true;
        // An id of SHA-1 may be the prefix of one of SHA-256.
        if (object?.type !== "commit" || object.id !== node.id) continue;
        node.commit = readAuthoredCommit(object.body ?? Buffer.alloc(0));
      }
    }
    return true;
  }

  /** The newest commit whose parents have not been visited; undefined: none can change the span any more. */
  next(): Node | undefined {
    let newest: Node | undefined;
    let hasOpen = false;
    let oldestAt = Number.POSITIVE_INFINITY;
    for (const node of this.#nodes.values()) {
      const { isOld, isExpanded, commit } = node;
      // A missing commit may be older than all others.
      if (commit === undefined && !isOld) oldestAt = Number.NEGATIVE_INFINITY;
      if (commit === undefined) continue;
      if (!isOld) oldestAt = Math.min(oldestAt, commit.committedAt);
      if (isExpanded) continue;
      hasOpen ||= !isOld;
      if (newest?.commit === undefined || commit.committedAt > newest.commit.committedAt) newest = node;
    }
    // A commit outside of the span that is older than the whole span leads only to still older ones.
    return hasOpen || (newest?.commit !== undefined && newest.commit.committedAt >= oldestAt)
      ? newest
      : undefined;
  }

  async expand(node: Node): Promise<boolean> {
    node.isExpanded = true;
    const parents = node.commit?.parents ?? [];
    return await this.discover(parents.map((id) => ({ id, isOld: node.isOld })));
  }

  /** All ancestors of a commit outside of the span are outside, too. */
  #leaveOut(first: Node): void {
    const open = [first];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (node.isOld) continue;
      node.isOld = true;
      if (!node.isExpanded) continue;
      for (const id of node.commit?.parents ?? []) {
        const parent = this.#nodes.get(id);
        if (parent !== undefined) open.push(parent);
      }
    }
  }
}
