import { TimeSlice } from "../../runtime/time-slice.ts";
import { GitError, isGitError } from "../git-errors.ts";
import { type CloneFolder, type GitRemote, isOtherObjectFormat, type RemoteResult } from "../git-remote.ts";
import { redact } from "../redact.ts";
import { readRemoteRefs } from "../remote-refs.ts";
import type { CommitToPush, PushOutcome } from "./branch-clone.ts";
import { readPushAnswer } from "./push-answer.ts";

export interface BranchRemoteOptions {
  readonly remote: GitRemote;
  readonly url: string;
  readonly branch: string;
}

/** One branch of a remote: reads its head, fetches, pushes. */
export class BranchRemote {
  readonly #options: BranchRemoteOptions;

  constructor(options: BranchRemoteOptions) {
    this.#options = options;
  }

  get #ref(): string {
    return `refs/heads/${this.#options.branch}`;
  }

  /**
   * The head commit of the branch; undefined if there is no such branch.
   *
   * @throws GitError `RepositoryUnreachable`
   */
  async readHead(clone: CloneFolder): Promise<string | undefined> {
    const { stdout } = await this.#run(clone, ["ls-remote", "--quiet", "--", this.#options.url, this.#ref]);
    // ls-remote matches the end of names, so refs/heads/a/refs/heads/main would match too.
    const { ids } = await new TimeSlice(performance).run(readRemoteRefs(stdout));
    return ids.get(this.#ref);
  }

  /**
   * Fetches the head of the branch, without history, as `refs/fairlead/head`. @throws GitError `RepositoryUnreachable`
   */
  async fetch(clone: CloneFolder): Promise<void> {
    // Forced, because the branch may have been reset.
    const options = [
      "--depth=1",
      "--no-tags",
      "--no-write-fetch-head",
      "--no-auto-maintenance",
      "--progress",
    ];
    await this.#run(clone, [
      "fetch",
      ...options,
      "--",
      this.#options.url,
      `+${this.#ref}:refs/fairlead/head`,
    ]);
  }

  /**
   * Pushes a commit if its parent is still the head of the branch.
   *
   * @throws GitError `PushRefused`, `RepositoryUnreachable` (the push may have succeeded nevertheless)
   */
  async push(clone: CloneFolder, { commit, parent }: CommitToPush): Promise<PushOutcome> {
    // A compare-and-swap: an empty lease requires that the branch does not exist.
    const lease = `--force-with-lease=${this.#ref}:${parent ?? ""}`;
    const target = `${commit}:${this.#ref}`;
    const result = await this.#try(clone, ["push", "--porcelain", lease, "--", this.#options.url, target]);
    const answer = readPushAnswer(result);
    switch (answer.kind) {
      case "pushed":
      case "moved":
        return answer.kind;
      case "locked":
        return { lockedBy: redact(answer.lock, result.secrets) };
      case "refused":
        throw new GitError("PushRefused", quote(answer.reason, result));
      case "incompatible":
        throw new GitError("ObjectFormat", "Cannot push: the repository uses a different object hash");
      case "unsuitable":
        throw new GitError("CacheBroken", "Cannot push: the remote does not have the parent commit");
      case "unknown":
        throw new GitError("RepositoryUnreachable", quote(result.stderr, result));
    }
  }

  async #run(clone: CloneFolder, command: string[]): Promise<RemoteResult> {
    const result = await this.#try(clone, command);
    if (result.exitCode === 0) return result;
    const said = quote(result.stderr, result);
    throw isOtherObjectFormat(result.stderr)
      ? new GitError("ObjectFormat", said)
      : new GitError("RepositoryUnreachable", said);
  }

  async #try(clone: CloneFolder, command: string[]): Promise<RemoteResult> {
    try {
      return await this.#options.remote.run(clone, command);
    } catch (error) {
      if (isGitError(error, "Credentials", "Killed")) {
        throw new GitError("RepositoryUnreachable", error.message, { cause: error });
      }
      const { code } = error as NodeJS.ErrnoException;
      throw new GitError("RepositoryUnreachable", `Cannot run git: ${code ?? "unknown"}`, { cause: error });
    }
  }
}

/** The part of git's output that a message may repeat. */
function quote(text: string, { secrets }: RemoteResult): string {
  return redact(withoutNoise(text), secrets);
}

/** Text that ssh adds to messages about a host key or file permissions: too long for a message. */
const alarm =
  /^(?:@{20}|@ +WARNING: |IT IS POSSIBLE THAT SOMEONE|Someone could be eavesdropping|It is also possible that a host key|Please contact your system administrator\.|Add correct host key in|Offending \S+ key in| +remove with:| +ssh-keygen -f|It is required that your private key|This private key will be ignored)/;

/** Lines of git's and ssh's output that users need, without progress, hints, banners and general remarks. */
function withoutNoise(text: string): string {
  const said = text.split(/[\n\r]+/).filter((line) => !alarm.test(line));
  const lines = said.map((line) => line.replace(/^(?:fatal|error|remote): /, ""));
  const noise =
    /^(?:hint:|warning:|To |From |remote: *$|failed to push some refs|Please make sure|and the repository exists|Everything up-to-date|[A-Z][a-z]+ objects|Could not read from remote)|: +\d+%/;
  const telling = lines.filter((line) => line.trim() !== "" && !noise.test(line));
  return (telling.length === 0 ? lines : telling).join("\n");
}
