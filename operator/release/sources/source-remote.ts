import type { GitCredentials } from "../../git/credentials.ts";
import { gitEnvironment } from "../../git/git-environment.ts";
import type { GitProcesses, GitResult } from "../../git/git-process.ts";
import type { RemoteUrl } from "../../git/remote-url.ts";
import type { Clock } from "../../ports.ts";
import { ReleaseError } from "../errors.ts";
import { toProcessFailure, toRemoteFailure } from "./remote-failure.ts";
import { removeCredentials, type SecretData, writeCredentials } from "./secret-credentials.ts";
import type { SourceClone } from "./source-clone.ts";
import type { SourceLimits } from "./tree-files.ts";

export interface SourceRemoteOptions {
  readonly remote: RemoteUrl;
  readonly secret: SecretData | undefined;
  readonly processes: GitProcesses;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly limits: SourceLimits;
}

export interface FetchOptions {
  /** `<name on the remote>` → `<our name>`. */
  readonly refs: ReadonlyMap<string, string>;
  /** Commits of history; undefined: whatever is new to the clone. */
  readonly depth: number | undefined;
  /** The clone may grow by so many bytes. */
  readonly growthBytes: number;
}

/** A fetch was stopped because it brought more than it may. */
export class FetchTooBigError extends Error {
  override readonly name = "FetchTooBigError";
}

/** Between two looks at what a fetch has brought so far. */
const MEASURE_MS = 1_000;
/** All of the history. */
export const EVERYTHING = 2_147_483_647;

/** One remote: ask, fetch. Nothing that is secret becomes an argument, part of a URL or part of a message. */
export class SourceRemote {
  readonly #options: SourceRemoteOptions;

  constructor(options: SourceRemoteOptions) {
    this.#options = options;
  }

  /**
   * Ids of the objects that refs point to, by full name.
   *
   * @param patterns Full names, `refs/tags/*`; none: all branches and tags.
   * @throws ReleaseError
   */
  async ask(clone: SourceClone, patterns: readonly string[]): Promise<Map<string, string>> {
    const kinds = patterns.length > 0 ? [] : ["--heads", "--tags"];
    const { stdout } = await this.#run(clone, ["ls-remote", "--quiet", ...kinds, "origin", ...patterns]);
    const refs = new Map<string, string>();
    for (const line of stdout.split("\n")) {
      const tab = line.indexOf("\t");
      const name = line.slice(tab + 1);
      if (tab > 0 && !name.endsWith("^{}")) refs.set(name, line.slice(0, tab));
    }
    return refs;
  }

  /** Fetches refs, forced: what was rewritten is taken as it is now. @throws ReleaseError, FetchTooBigError */
  async fetch(clone: SourceClone, { refs, depth, growthBytes }: FetchOptions): Promise<void> {
    const options = [
      ...["--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-recurse-submodules"],
      // A remote may itself know only a part of its history.
      ...["--progress", "--update-shallow", `--filter=blob:limit=${this.#options.limits.fileBytes + 1}`],
      ...(depth === undefined ? [] : [`--depth=${depth}`]),
    ];
    const names = [...refs].map(([theirs, ours]) => `+${theirs}:${ours}`);
    const guard = await this.#guardGrowth(clone, growthBytes);
    try {
      await this.#run(clone, ["fetch", ...options, "origin", ...names], guard.signal);
    } catch (error) {
      // What was broken off leaves locks and half a pack.
      await clone.sweep();
      if (guard.signal.aborted) throw guard.signal.reason;
      throw error;
    } finally {
      guard.stop();
    }
  }

  /** Ends a fetch that brings too much. */
  async #guardGrowth(
    clone: SourceClone,
    growthBytes: number,
  ): Promise<{ signal: AbortSignal; stop: () => void }> {
    const { clock } = this.#options;
    const controller = new AbortController();
    const most = (await clone.size()) + growthBytes;
    let isOver = false;
    let cancel = (): void => {};
    const measure = async (): Promise<void> => {
      if ((await clone.size()) > most) controller.abort(new FetchTooBigError("it brings too much"));
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

  async #run(clone: SourceClone, words: string[], signal?: AbortSignal): Promise<GitResult> {
    const { remote, secret, processes } = this.#options;
    let credentials: GitCredentials | undefined;
    try {
      credentials = await writeCredentials(secret, remote, clone.credentials);
      const environment = this.#environmentOf(clone, credentials);
      const run = { arguments: words, directory: clone.directory, environment };
      const result = await processes.run(signal === undefined ? run : { ...run, signal });
      if (result.exitCode === 0) return result;
      throw toRemoteFailure(result.stderr, credentials.secrets);
    } catch (error) {
      throw error instanceof ReleaseError ? error : toProcessFailure(error);
    } finally {
      await removeCredentials(clone.credentials);
    }
  }

  #environmentOf(clone: SourceClone, credentials: GitCredentials): Record<string, string> {
    const { remote, environment, limits } = this.#options;
    const settings: (readonly [string, string])[] = [
      ...credentials.settings,
      ["remote.origin.url", remote.url],
      // Makes it a partial clone for this command alone; what reads the clone must not ask the remote for what is missing.
      ["remote.origin.promisor", "true"],
      ["remote.origin.partialclonefilter", `blob:limit=${limits.fileBytes + 1}`],
      ["transfer.fsckObjects", "true"],
      // git would carry the Authorization header along to wherever it is sent.
      ["http.followRedirects", "false"],
      // Bigger files are written as they come, instead of being held.
      ["core.bigFileThreshold", "16m"],
    ];
    return gitEnvironment({
      home: clone.home,
      environment,
      protocol: remote.protocol,
      credentials: { ...credentials, settings },
    });
  }
}
