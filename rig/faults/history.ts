import type { GitServer } from "./git-server.ts";

export interface HistoryInput {
  readonly git: GitServer;
  /** Whether a user has changed our files. Then the operator writes the same text again to restore them. */
  readonly isTampered: boolean;
}

/** Checks the branch's history: linear, no empty commits, no older content over newer, all commits of other users present. */
export async function findInHistory({ git, isTampered }: HistoryInput): Promise<readonly string[]> {
  if ((await git.head()) === undefined) return [];
  const found: string[] = [];
  const merges = (await git.git(["rev-list", "--merges", "main"])).trim();
  if (merges !== "") found.push(`merges: ${merges}`);
  const commits = (await git.git(["log", "--reverse", "--format=%H %T %P", "main"])).trim().split("\n");
  let before = "";
  for (const line of commits) {
    const [id = "", tree = ""] = line.split(" ");
    if (tree === before) found.push(`commit ${id} is empty`);
    before = tree;
  }
  const ids = new Set(commits.map((line) => line.split(" ")[0]));
  for (const id of git.foreign) if (!ids.has(id)) found.push(`commit ${id} of another user is missing`);
  found.push(...(await findStepsBack(git, isTampered)), ...(await findTermsBack(git)));
  const damage = await git.git(["fsck", "--connectivity-only", "--no-dangling"]).catch(String);
  if (damage.trim() !== "") found.push(`the repository is damaged: ${damage}`);
  return found;
}

/** Commits in which a file got an older text, or an earlier text again. */
async function findStepsBack(git: GitServer, isTampered: boolean): Promise<string[]> {
  const history = await git.git(["log", "--reverse", "--format=", "-p", "-U0", "--no-renames", "main"]);
  const newest = new Map<string, number>();
  const found: string[] = [];
  let path = "";
  for (const line of history.split("\n")) {
    if (line.startsWith("+++ ")) path = line.slice(4);
    const version = Number(/^\+.*\bv(\d{4})$/.exec(line)?.[1]);
    if (Number.isNaN(version)) continue;
    const last = newest.get(path) ?? 0;
    if (version < last || (version === last && !isTampered))
      found.push(
        `${path}: v${version} after v${last}: ${await describeHistory(git, path.replace(/^b\//, ""))}`,
      );
    newest.set(path, Math.max(version, last));
  }
  return found;
}

/** Describes the history of a file: the author and the change of each commit in one line. */
async function describeHistory(git: GitServer, path: string): Promise<string> {
  const format =
    "--format=commit %h after %p by %cn at %ct, Lease %(trailers:key=Fairlead-Lease,valueonly,separator=%x2C)";
  const log = await git.git([
    "log",
    "--reverse",
    format,
    "--name-status",
    "--no-renames",
    "main",
    "--",
    path,
  ]);
  return log.split("\n").filter(Boolean).join("; ");
}

/** Commits by a leader after the end of its term: under one Lease, terms only increase. */
async function findTermsBack(git: GitServer): Promise<string[]> {
  const trailers = await git.git([
    "log",
    "--reverse",
    "--format=%(trailers:key=Fairlead-Lease,valueonly,separator=%x2C)",
    "main",
  ]);
  const newest = new Map<string, number>();
  const found: string[] = [];
  for (const line of trailers.split("\n").filter(Boolean)) {
    const [uid = "", term = ""] = line.split("/");
    const last = newest.get(uid) ?? 0;
    if (Number(term) < last) found.push(`a commit of term ${term} came after one of term ${last}`);
    newest.set(uid, Math.max(Number(term), last));
  }
  return found;
}
