import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { GitCredentials } from "./credentials.ts";
import { gitEnvironment } from "./git-environment.ts";
import type { GitProcesses, GitResult } from "./git-process.ts";
import type { RemoteUrl } from "./remote-url.ts";

/** The clone in which commands run. */
export interface CloneFolder {
  readonly directory: string;
  /** HOME of git: an empty folder of the operator. */
  readonly home: string;
}

export interface GitRemoteOptions {
  readonly remote: RemoteUrl;
  readonly processes: GitProcesses;
  /** The environment of this process. Git gets PATH and the proxies from it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * Credentials for one command. Files may be written to `folder`, which does not exist yet and is removed after the command.
   *
   * @throws GitError `Credentials`
   */
  readonly credentials: (folder: string) => Promise<GitCredentials>;
}

export interface RemoteCommandOptions {
  /** Settings of git for this command. */
  readonly settings?: GitCredentials["settings"];
  /** Variables of the environment for this command. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Kills git; the reason is an Error. */
  readonly signal?: AbortSignal | undefined;
}

export interface RemoteResult extends GitResult {
  /** Texts that must not appear in any message. */
  readonly secrets: readonly string[];
}

/** Folder in git's home that holds credentials while a command needs them. */
export function credentialsFolder(home: string): string {
  return join(home, "credentials");
}

/** Runs the commands that use the network. No secret is passed as an argument, in a URL or in a message. */
export class GitRemote {
  readonly #options: GitRemoteOptions;

  constructor(options: GitRemoteOptions) {
    this.#options = options;
  }

  /**
   * Runs a command with credentials that are read for it alone, so that a rotated Secret takes effect at once.
   *
   * @returns The output of git, for every exit code.
   * @throws GitError `Credentials`; `Killed` when it hung; the system's error when git could not be started.
   */
  async run(
    { directory, home }: CloneFolder,
    command: readonly string[],
    { settings = [], variables, signal }: RemoteCommandOptions = {},
  ): Promise<RemoteResult> {
    const { remote, processes, environment } = this.#options;
    const folder = credentialsFolder(home);
    try {
      const credentials = await this.#options.credentials(folder);
      const { secrets } = credentials;
      const result = await processes.run({
        arguments: command,
        directory,
        environment: {
          ...gitEnvironment({ home, environment, protocol: remote.protocol, credentials, settings }),
          ...variables,
        },
        secrets,
        remote,
        ...(signal !== undefined && { signal }),
      });
      return { ...result, secrets };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** Whether git failed because the two repositories use different object hashes. */
export function isOtherObjectFormat(stderr: string): boolean {
  return /hash algorithm|object[- ]format/i.test(stderr);
}
