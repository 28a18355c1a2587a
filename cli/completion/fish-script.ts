import type { CompletedCommand, CompletedOption, WordKind } from "./describe-commands.ts";
import { joinedLookupFlags, leavesOf, lookupFlags } from "./leaves.ts";

/** A script for fish. Pure. */
export function fishScript(program: CompletedCommand): string {
  const { name, subcommands } = program;
  const groups = subcommands.filter((command) => command.subcommands.length > 0);
  const lines = [
    `complete -c ${name} -f`,
    ...subcommands.map((command) => `complete -c ${name} -n __fish_use_subcommand ${word(command)}`),
    ...groups.flatMap((group) => {
      const inner = group.subcommands.map((command) => command.name).join(" ");
      const condition = `__fish_seen_subcommand_from ${group.name}; and not __fish_seen_subcommand_from ${inner}`;
      return group.subcommands.map((command) => `complete -c ${name} -n '${condition}' ${word(command)}`);
    }),
    ...leavesOf(program).flatMap(({ path, command }) => {
      const condition = path.map((one) => `__fish_seen_subcommand_from ${one}`).join("; and ");
      const start = `complete -c ${name} -n '${condition}'`;
      return [
        ...command.options.map((option) => `${start} ${describeOption(option)}`),
        ...wordsFor(command.argument, command.choices).map((words) => `${start} ${words}`),
      ];
    }),
  ];
  return `# Completion of ${name} for fish: ${name} completion fish | source
function __fairlead_names
  set -l tokens (commandline -opc)
  set -l flags
  for index in (seq 2 (count $tokens))
    switch $tokens[$index]
      case ${lookupFlags.join(" ")}
        set -a flags $tokens[$index] $tokens[(math $index + 1)]
      case ${joinedLookupFlags.map((flag) => `'${flag}'`).join(" ")}
        set -a flags $tokens[$index]
    end
  end
  ${name} get $argv[1] --output=name $flags 2>/dev/null
end
${lines.join("\n")}
`;
}

function describeOption({ flags, help, value, choices }: CompletedOption): string {
  const names = flags.map((flag) =>
    flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.replace("-", "")}`,
  );
  const required = value === undefined ? [] : ["-x", ...wordsFor(value, choices)];
  return [...names, ...required, `-d ${quote(help)}`].join(" ").replace("-x -F", "-r -F");
}

function wordsFor(kind: WordKind | undefined, choices: readonly string[]): readonly string[] {
  if (choices.length > 0) return [`-a ${quote(choices.join(" "))}`];
  if (kind === "file" || kind === "folder") return ["-F"];
  if (kind === "release") return ["-a '(__fairlead_names releases)'"];
  if (kind === "pipeline") return ["-a '(__fairlead_names pipelines)'"];
  if (kind === "releaseOrFile") return ["-a '(__fairlead_names releases)'", "-F"];
  return [];
}

function word({ name, help }: CompletedCommand): string {
  return `-a ${name} -d ${quote(help)}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
