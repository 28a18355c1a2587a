import { posix } from "node:path";
import type { GitResult } from "../git-process.ts";
import { isOtherObjectFormat } from "../git-remote.ts";
import { plain } from "../zone-messages.ts";
import { LOCK_PATH } from "./messages.ts";

/** Result of a push. */
export type PushAnswer =
  | { readonly kind: "pushed" }
  /** Another commit is at the head: fetch it, and build on it. */
  | { readonly kind: "moved" }
  /** Another git process holds this lock file of the repository, or a killed one left it. */
  | { readonly kind: "locked"; readonly lock: string }
  | { readonly kind: "refused"; readonly reason: string }
  /** The remote uses another object hash. */
  | { readonly kind: "incompatible" }
  /** The shallow history does not reach back to a commit that the remote has. */
  | { readonly kind: "unsuitable" }
  /** No response: the push may have succeeded or not. */
  | { readonly kind: "unknown" };

/** Messages of remotes when another writer pushed first. */
const overtaken =
  /cannot lock ref|failed to update ref|incorrect old value|reference already exists|fetch first|non-fast-forward|stale info/;
/** Git's message about an existing lock file. Linear: no two matches overlap, and each is short. */
const exists = /Unable to create '([^'\n]{1,1000})': File exists/;
/** Lock files of branches. Git also locks HEAD when its branch is updated. */
const branchLock = /^\/.*\/(?:HEAD|packed-refs|refs\/heads\/.+)\.lock$/;
/** Messages of hosts, before they check a ref, for users who may read and not write. */
const noRights = /\b403\b|permission|not granted|access denied|read[- ]?only|deploy key|not allowed to push/i;

/** Parses the output of `git push --porcelain` for one ref. */
export function readPushAnswer({ exitCode, stdout, stderr }: GitResult): PushAnswer {
  const [, flag, summary = ""] = /^([ +\-*!=])\t[^\t\n]*\t(.*)$/m.exec(stdout.join("")) ?? [];
  if (exitCode === 0 && flag !== undefined && flag !== "!") return { kind: "pushed" };
  if (flag === "!") {
    const [, who = "", why = ""] = /^\[([^\]]*)\]\s*(?:\((.*)\))?/.exec(summary) ?? [];
    if (who === "rejected") return { kind: "moved" };
    if (overtaken.test(why)) {
      const lock = findLock(stderr);
      return lock === undefined ? { kind: "moved" } : { kind: "locked", lock };
    }
    if (/shallow update not allowed/.test(why)) return { kind: "unsuitable" };
    if (who === "remote rejected") return { kind: "refused", reason: [why, remoteWords(stderr)].join("\n") };
  }
  if (isOtherObjectFormat(stderr)) return { kind: "incompatible" };
  if (noRights.test(stderr)) return { kind: "refused", reason: stderr };
  return { kind: "unknown" };
}

/** Path of the lock file that the remote reports, if it can be quoted in a shell command: it has no quote and no control character. */
function findLock(stderr: string): string | undefined {
  const [, path = ""] = exists.exec(stderr) ?? [];
  const lock = posix.normalize(path);
  return lock.length <= LOCK_PATH && plain.test(lock) && branchLock.test(lock) ? lock : undefined;
}

/** The message of the remote itself (of its hook). */
function remoteWords(stderr: string): string {
  return stderr
    .split("\n")
    .filter((line) => line.startsWith("remote: "))
    .join("\n");
}
