import type { CompletedCommand } from "./describe-commands.ts";

/** An executable command, and the words of its command line after the program. */
export interface Leaf {
  readonly path: readonly string[];
  readonly command: CompletedCommand;
}

/** All executable commands of a program. There are two levels at most. Pure. */
export function leavesOf({ subcommands }: CompletedCommand): readonly Leaf[] {
  return subcommands.flatMap((command) =>
    command.subcommands.length === 0
      ? [{ path: [command.name], command }]
      : command.subcommands.map((inner) => ({ path: [command.name, inner.name], command: inner })),
  );
}

/** Options with a value that select cluster and namespace: names of Releases and Pipelines are looked up with them. */
export const lookupFlags = ["-n", "--namespace", "--kubeconfig", "--context"] as const;

/** The same as one word, for the `case` of a shell: `--namespace=*`. */
export const joinedLookupFlags = lookupFlags
  .filter((flag) => flag.startsWith("--"))
  .map((flag) => `${flag}=*`);
