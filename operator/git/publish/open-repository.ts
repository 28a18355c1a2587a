import { gitEnvironment } from "../git-environment.ts";
import { GitProcesses } from "../git-process.ts";
import { parseRemoteUrl } from "../remote-url.ts";
import { GitCache } from "./git-cache.ts";
import { GitRemote } from "./git-remote.ts";
import type { GitPublisherOptions } from "./publisher-options.ts";
import { RepositoryBranch } from "./repository-branch.ts";

/** What of the publisher's options concerns the repository. */
export type OpenRepositoryOptions = Omit<GitPublisherOptions, "random" | "log" | "claimOf" | "onChange">;

/** Silence after which git is taken for hung. */
const TIMEOUT_MS = 60_000;

/**
 * Wires clone, remote and branch. Touches nothing yet.
 *
 * @throws RemoteUrlError for a repository that we do not speak to.
 */
export function openRepository(options: OpenRepositoryOptions): RepositoryBranch {
  const { repository, branch, cacheDirectory, credentialsDirectory, clock, environment = {} } = options;
  const remote = parseRemoteUrl(repository);
  const { protocol } = remote;
  const processes = new GitProcesses({ clock, timeoutMs: options.timeoutMs ?? TIMEOUT_MS });
  return new RepositoryBranch({
    ...options,
    processes,
    stats: {
      commits: 0,
      landed: 0,
      pushes: 0,
      refused: 0,
      retried: 0,
      lsRemotes: 0,
      fetches: 0,
      rebuilds: 0,
    },
    openCache: () =>
      GitCache.open({
        directory: cacheDirectory,
        key: `${remote.url} ${branch}`,
        processes,
        clock,
        environment: (home) => gitEnvironment({ home, environment, protocol }),
      }),
    remote: new GitRemote({
      remote,
      branch,
      credentialsDirectory,
      processes,
      environment: (home, credentials) => gitEnvironment({ home, environment, protocol, credentials }),
    }),
  });
}
