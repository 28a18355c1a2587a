import { onTestFinished } from "vitest";
import { FakeGitRemote } from "../fakes/git-remote.ts";

/** A commit of the branch `main`. */
export interface LoggedCommit {
  readonly id: string;
  /** Subject, empty line, body, trailers. */
  readonly message: string;
  /** Paths that it changed. */
  readonly paths: readonly string[];
}

/** A real bare repository in a folder of the test, as users see it with git. */
export interface TestRepository {
  /** Its folder: the value of `--repository`. */
  readonly url: string;
  /** The options for publishing there: repository and a cache of the test. */
  readonly args: readonly string[];
  /** Commits of the branch, the newest first. */
  log(): LoggedCommit[];
  /** Number of commits of the branch. */
  commits(): number;
  /** Paths of all files of the branch that begin with `prefix`, sorted. */
  files(prefix?: string): string[];
  read(path: string): string;
  /** The remote itself, to make it fail. */
  readonly remote: FakeGitRemote;
}

/** Creates an empty repository for one test. */
export function aRepository(): TestRepository {
  const remote = new FakeGitRemote();
  onTestFinished(() => remote[Symbol.dispose]());
  return {
    remote,
    url: remote.path,
    args: [`--repository=${remote.path}`, `--repository-cache=${remote.folder}/cache`],
    commits: () => remote.commits(),
    files: (prefix = "") => remote.paths().filter((path) => path.startsWith(prefix)),
    read: (path) => remote.read(path),
    log: () => logOf(remote),
  };
}

function logOf(remote: FakeGitRemote): LoggedCommit[] {
  if (remote.head() === undefined) return [];
  // Each commit begins with a record separator; its fields end with a null byte.
  const text = remote.git(["log", "--format=%x1e%H%x00%B%x00", "--name-only", "main"]);
  return text
    .split("\x1e")
    .slice(1)
    .map((record) => {
      const [id = "", message = "", paths = ""] = record.split("\0");
      return { id, message: message.trimEnd(), paths: paths.split("\n").filter(Boolean) };
    });
}
