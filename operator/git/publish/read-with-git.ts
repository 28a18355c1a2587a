import { simpleGit } from "simple-git";
import { type ConfineGit, startedByName, unconfined } from "../git-command.ts";

export interface ReadWithGitOptions {
  /** The clone. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Walls around the process. Default: none. */
  readonly confine: ConfineGit | undefined;
  /** Ends it at once. */
  readonly signal: AbortSignal;
}

/**
 * Runs a command on our own clone with simple-git (3 ms a command; one that prints nothing costs 50 ms, so we ask for what
 * prints), and gives what it prints. No word of the command may be `--`: see {@link startedByName}.
 *
 * @throws Error when git fails.
 */
export async function readWithGit(
  command: readonly string[],
  { directory, confine = unconfined, signal, environment }: ReadWithGitOptions,
): Promise<string> {
  const started = startedByName(environment, confine);
  const git = simpleGit({
    baseDir: directory,
    binary: started.file,
    abort: signal,
    allowEnvironment: Object.keys(started.environment),
    // The guards are against a stranger's environment; this one is made by us from nothing.
    unsafe: {
      allowUnsafeCustomBinary: true,
      allowUnsafeConfigEnvCount: true,
      allowUnsafeConfigPaths: true,
      allowUnsafeHooksPath: true,
      allowUnsafeCredentialHelper: true,
      allowUnsafeProtocolOverride: true,
      allowUnsafeTemplateDir: true,
    },
    // By default a command that fails without a word counts as done.
    errors: (error, { exitCode }) =>
      error ?? (exitCode === 0 ? undefined : new Error(`exit code ${exitCode}`)),
  }).env(started.environment);
  return await git.raw([...command]);
}
