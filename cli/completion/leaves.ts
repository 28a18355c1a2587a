import type { CompletedCommand } from "./describe-commands.ts";

/** A command that runs something, and the words that name it below the program. */
export interface Leaf {
  readonly path: readonly string[];
  readonly command: CompletedCommand;
}

/** All commands of a program that run something. There are two levels at most. Pure. */
export function leavesOf({ subcommands }: CompletedCommand): readonly Leaf[] {
  return subcommands.flatMap((command) =>
    command.subcommands.length === 0
      ? [{ path: [command.name], command }]
      : command.subcommands.map((inner) => ({ path: [command.name, inner.name], command: inner })),
  );
}

/** Options with a value that say which cluster and namespace: names of Releases and Pipelines are looked up with them. */
export const lookupFlags = ["-n", "--namespace", "--kubeconfig", "--context"] as const;

/** The same as one word, for the `case` of a shell: `--namespace=*`. */
export const joinedLookupFlags = lookupFlags
  .filter((flag) => flag.startsWith("--"))
  .map((flag) => `${flag}=*`);
