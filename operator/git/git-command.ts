import type { GitRun } from "./git-process.ts";

/** Command line of a process. */
export interface GitCommand {
  readonly file: string;
  readonly arguments: readonly string[];
}

/** Puts walls around a command: gives the command line that starts it behind them, in the same environment. */
export type ConfineGit = (
  run: Pick<GitRun, "arguments" | "environment" | "program" | "remote">,
) => GitCommand;

/** The command line of git itself. Pure. */
export const unconfined: ConfineGit = ({ arguments: words, program = "git" }) => ({
  file: program,
  arguments: words,
});
