import type { GitRun } from "./git-process.ts";

/** Command line of a process. */
export interface GitCommand {
  readonly file: string;
  readonly arguments: readonly string[];
}

/** Returns the command line that starts a command with isolation, in the same environment. */
export type ConfineGit = (
  run: Pick<GitRun, "arguments" | "environment" | "program" | "remote">,
) => GitCommand;

/** The command line of git itself. Pure. */
export const unconfined: ConfineGit = ({ arguments: words, program = "git" }) => ({
  file: program,
  arguments: words,
});

/**
 * The command line of git with isolation, for a caller that passes a program to start and cannot choose its first
 * arguments. No word that follows may be `--`, because the launcher would take it as the end of its rules and fail.
 * Pure.
 */
export function startedByName(
  environment: Readonly<Record<string, string>>,
  confine: ConfineGit,
): { readonly file: string; readonly environment: Record<string, string> } {
  const { file, arguments: words } = confine({ arguments: [], environment });
  // The launcher reads its rules from these arguments.
  const prefix = words.length === 0 ? {} : { FAIRLEAD_LAUNCH: words.join("\n") };
  return { file, environment: { ...environment, ...prefix } };
}
