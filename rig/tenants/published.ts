import type { FakeGitRemote } from "../../test/fakes/git-remote.ts";
import type { Parties } from "./find-violations.ts";

/** One commit on the repository that the operator publishes to. */
export interface PublishedCommit {
  readonly branch: string;
  readonly id: string;
  /** Paths of the files that it adds, changes or removes. */
  readonly changed: readonly string[];
}

export interface PublishedNews {
  readonly commits: readonly PublishedCommit[];
  /** Branches that were deleted or rewritten. */
  readonly lost: readonly string[];
}

/** Locations that the platform may allow to a tenant, in addition to its folder at the operator's own location. */
export const placesOf = (namespace: string) => ({
  /** A branch, and those whose names begin with it. */
  branch: `of-${namespace}`,
  /** A folder on the operator's own branch. */
  folder: `apps/${namespace}`,
});

/** Reads the published commits, each of them once. */
export class PublishedFeed {
  readonly #remote: FakeGitRemote;
  #heads: ReadonlyMap<string, string>;

  constructor(remote: FakeGitRemote) {
    this.#remote = remote;
    this.#heads = this.#readHeads();
  }

  take(): PublishedNews {
    const before = this.#heads;
    const now = this.#readHeads();
    this.#heads = now;
    const known = [...before.values()].map((id) => `^${id}`);
    const commits = [...now].flatMap(([branch, head]) =>
      // The first commits of a branch may also be on another branch, but are new on this one.
      this.#commits(head, before.has(branch) ? [`^${before.get(branch)}`] : known).map((id) => ({
        branch,
        id,
        changed: this.#changedBy(id),
      })),
    );
    const lost = [...before]
      .filter(([branch, id]) => !this.#has(now.get(branch), id))
      .map(([branch]) => branch);
    return { commits, lost };
  }

  #readHeads(): ReadonlyMap<string, string> {
    const lines = this.#remote.git(["for-each-ref", "--format=%(refname:short) %(objectname)", "refs/heads"]);
    return new Map(
      lines
        .split("\n")
        .filter(Boolean)
        .map((line) => line.split(" ") as [string, string]),
    );
  }

  #commits(head: string, without: readonly string[]): readonly string[] {
    return this.#remote
      .git(["rev-list", "--reverse", head, ...without])
      .split("\n")
      .filter(Boolean);
  }

  #changedBy(commit: string): readonly string[] {
    const command = ["diff-tree", "-r", "-z", "--root", "--no-commit-id", "--name-only", commit];
    return this.#remote.git(command).split("\0").filter(Boolean);
  }

  #has(head: string | undefined, commit: string): boolean {
    if (head === undefined) return false;
    return this.#commits(commit, [`^${head}`]).length === 0;
  }
}

export interface PublishedContext {
  readonly parties: Pick<Parties, "victim" | "attacker">;
  /** The other tenant did nothing. */
  readonly isQuiet: boolean;
  /** Whether the platform allows the attacker its locations, or allowed them in the round before. */
  readonly isAllowed: boolean;
}

/**
 * Finds forbidden publications, for users. Pure.
 *
 * - No branch is lost or rewritten.
 * - Each file is in a Release's folder of one tenant, at a location of that tenant.
 * - Nothing of the victim changes while it does nothing, and the attacker's own locations change only while they are allowed.
 */
export function findPublishViolations(
  { commits, lost }: PublishedNews,
  { parties: { victim, attacker }, isQuiet, isAllowed }: PublishedContext,
): readonly string[] {
  const findProblem = (branch: string, path: string): string | undefined => {
    // The operator's file that marks a location as its own.
    if (path === ".fairlead.yaml" || path.endsWith("/.fairlead.yaml")) return undefined;
    const [root = "", owner] =
      /^(?:(.*)\/)?([^/]+)\/releases\.fairlead\.dev\/[^/]+\/[^/]+$/.exec(path)?.slice(1) ?? [];
    if (owner !== victim && owner !== attacker)
      return "published a file outside the Releases of both tenants";
    const places = placesOf(owner);
    const isDefault = branch === "main" && root === "";
    const isFolder = branch === "main" && (root === places.folder || root.startsWith(`${places.folder}/`));
    const isBranch =
      branch === places.branch || (branch.startsWith(`${places.branch}-`) && owner === attacker);
    if (!isDefault && !isFolder && !isBranch) return "published at a location of another tenant";
    if (owner === attacker)
      return isDefault || isAllowed ? undefined : "published where the platform no longer allows it";
    return isQuiet ? "published for the victim although it did nothing" : undefined;
  };
  return [
    ...lost.map((branch) => `the branch ${branch} was rewritten or deleted`),
    ...commits.flatMap(({ branch, id, changed }) =>
      changed.flatMap((path) => {
        const what = findProblem(branch, path);
        return what === undefined ? [] : [`${what}: ${path} on ${branch} in ${id}`];
      }),
    ),
  ];
}

/** Number of commits at locations that the platform allowed to a tenant. Pure. */
export function countElsewhere({ commits }: PublishedNews, namespace: string): number {
  const { branch, folder } = placesOf(namespace);
  const isElsewhere = (commit: PublishedCommit): boolean =>
    commit.branch.startsWith(branch) || commit.changed.some((path) => path.startsWith(`${folder}/`));
  return commits.filter(isElsewhere).length;
}
