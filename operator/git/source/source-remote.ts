import { SourceError } from "../../errors.ts";
import { TimeSlice } from "../../runtime/time-slice.ts";
import { writeCredentials } from "../credentials.ts";
import { GitError, isGitError } from "../git-errors.ts";
import type { GitProcesses } from "../git-process.ts";
import { GitRemote, type RemoteResult } from "../git-remote.ts";
import { type RemoteRefs, readRemoteRefs } from "../remote-refs.ts";
import { toProcessFailure, toRemoteFailure } from "./remote-failure.ts";
import type { SourceRepositoryOptions } from "./repository-options.ts";
import type { SourceClone } from "./source-clone.ts";

export interface SourceRemoteOptions
  extends Pick<SourceRepositoryOptions, "remote" | "secret" | "clock" | "environment" | "limits" | "disk"> {
  readonly processes: GitProcesses;
}

export interface FetchOptions {
  /** Refspec: `<name on the remote>` → `<name in the clone>`. */
  readonly refs: ReadonlyMap<string, string>;
  /** Commits of history; `plain`: all of them, with files of any size, as the dumb HTTP protocol requires. */
  readonly depth: number | "plain";
  /** Bytes by which the clone may grow. */
  readonly growthBytes: number;
  /** The objects that the remote must omit. Default: large files. */
  readonly filter?: string;
}

/** A fetch was stopped because it exceeded its limit. */
export class FetchTooBigError extends Error {
  override readonly name = "FetchTooBigError";
  /** The limit in bytes. */
  readonly limitBytes: number;

  constructor(limitBytes: number) {
    super("it sends too much data");
    this.limitBytes = limitBytes;
  }
}

/** Interval between two checks of the size of a running fetch. */
const MEASURE_MS = 1_000;
/** All of the history. */
export const EVERYTHING = 2_147_483_647;

/** One remote: lists refs, fetches. No message repeats text of the remote. */
export class SourceRemote {
  readonly #options: SourceRemoteOptions;
  readonly #remote: GitRemote;

  constructor(options: SourceRemoteOptions) {
    const { secret, remote } = options;
    this.#options = options;
    this.#remote = new GitRemote({
      ...options,
      credentials: (folder) => writeCredentials(secret, remote, folder),
    });
  }

  /**
   * Lists refs of the remote.
   *
   * @param patterns Full names, `refs/tags/*`; none: all branches and tags.
   * @throws SourceError
   */
  async ask(clone: SourceClone, patterns: readonly string[]): Promise<RemoteRefs> {
    const kinds = patterns.length > 0 ? [] : ["--heads", "--tags"];
    const { stdout } = await this.#run(clone, ["ls-remote", "--quiet", ...kinds, "origin", ...patterns]);
    return await new TimeSlice(this.#options.clock).run(readRemoteRefs(stdout));
  }

  /** Fetches refs, forced: a rewritten ref gets its new value. @throws SourceError, FetchTooBigError */
  async fetch(clone: SourceClone, { refs, depth, growthBytes, ...more }: FetchOptions): Promise<void> {
    const filter = depth === "plain" ? undefined : (more.filter ?? this.#largeFiles);
    const options = [
      ...["--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-recurse-submodules"],
      // A remote may itself be a shallow clone.
      ...["--progress", "--update-shallow"],
      // Both or none: a host of plain files refuses the depth at once, and git would request missing objects endlessly.
      ...(filter === undefined ? [] : [`--filter=${filter}`, `--depth=${depth}`]),
    ];
    const names = [...refs].map(([theirs, ours]) => `+${theirs}:${ours}`);
    const room = this.#options.disk?.room() ?? growthBytes;
    const guard = this.#guardGrowth(clone, Math.min(growthBytes, room));
    try {
      const words = ["fetch", ...options, "origin", ...names];
      await this.#run(clone, words, { signal: guard.signal, filter });
    } catch (error) {
      // A stopped fetch leaves locks and an incomplete pack.
      await clone.sweep();
      if (guard.signal.aborted) throw guard.signal.reason;
      throw error;
    } finally {
      guard.stop();
    }
  }

  /** Stops a fetch that exceeds its limit. The fetch does not wait for the size of the clone before it. */
  #guardGrowth(clone: SourceClone, growthBytes: number): { signal: AbortSignal; stop: () => void } {
    const { clock } = this.#options;
    const controller = new AbortController();
    const before = clone.size();
    let isOver = false;
    let cancel = (): void => {};
    const measure = async (): Promise<void> => {
      if ((await clone.size()) > (await before) + growthBytes)
        controller.abort(new FetchTooBigError(growthBytes));
      else if (!isOver) cancel = clock.schedule(MEASURE_MS, () => void measure());
    };
    cancel = clock.schedule(MEASURE_MS, () => void measure());
    return {
      signal: controller.signal,
      stop: () => {
        isOver = true;
        cancel();
      },
    };
  }

  async #run(
    clone: SourceClone,
    words: string[],
    { signal, filter }: { readonly signal?: AbortSignal; readonly filter?: string | undefined } = {},
  ): Promise<RemoteResult> {
    try {
      const settings = this.#settings(filter);
      // Since git 2.44 missing objects are not requested automatically; before, a host can only delay a command until
      // it is killed.
      const variables = { GIT_NO_LAZY_FETCH: "1" };
      const result = await this.#remote.run(clone, words, { settings, variables, signal });
      if (result.exitCode === 0) return result;
      throw toRemoteFailure(result.stderr, result.secrets);
    } catch (error) {
      if (error instanceof SourceError) throw error;
      if (isGitError(error, "Credentials")) throw new SourceError("SourceInvalid", error.message);
      // The error code is the same for a missing folder and for a missing git.
      if (!(await clone.isThere()))
        throw new GitError("CacheBroken", "Cannot use the clone: it was deleted", { cause: error });
      throw toProcessFailure(error);
    }
  }

  get #largeFiles(): string {
    return `blob:limit=${this.#options.limits.fileBytes + 1}`;
  }

  #settings(filter: string | undefined): readonly (readonly [string, string])[] {
    return [
      ["remote.origin.url", this.#options.remote.url],
      ["transfer.fsckObjects", "true"],
      // Larger files are written as they arrive, instead of being held in memory.
      ["core.bigFileThreshold", "16m"],
      // Makes it a partial clone only for this command; commands that read the clone must not request missing objects
      // from the remote.
      ...(filter === undefined
        ? []
        : ([
            ["remote.origin.promisor", "true"],
            ["remote.origin.partialclonefilter", filter],
          ] as const)),
    ];
  }
}
