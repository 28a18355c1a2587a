import type { Argument, Command, Option } from "commander";

/** Kinds of words of a command line, in addition to given choices. */
export type WordKind = "release" | "releaseOrFile" | "pipeline" | "file" | "folder" | "other";

export interface CompletedOption {
  /** `--output` and `-o`. */
  readonly flags: readonly string[];
  /** One line. */
  readonly help: string;
  /** Undefined: it takes no value. */
  readonly value: WordKind | undefined;
  readonly choices: readonly string[];
}

/** The parts of a command that a shell completes. */
export interface CompletedCommand {
  readonly name: string;
  readonly help: string;
  readonly options: readonly CompletedOption[];
  readonly subcommands: readonly CompletedCommand[];
  /** Kind of its first argument; undefined: none. */
  readonly argument: WordKind | undefined;
  readonly choices: readonly string[];
}

/** Words that shells can complete for a command and its subcommands. Pure. */
export function describeCommand(command: Command): CompletedCommand {
  const [argument] = command.registeredArguments;
  return {
    name: command.name(),
    help: oneLine(command.description()),
    options: command.options.filter(({ hidden }) => !hidden).map(describeOption),
    subcommands: command.commands.map(describeCommand),
    argument: argument && kindOfArgument(argument),
    choices: argument?.argChoices ?? [],
  };
}

function describeOption(option: Option): CompletedOption {
  const { long, short, description, argChoices = [] } = option;
  return {
    flags: [long, short].filter((flag) => flag !== undefined && flag !== null),
    help: oneLine(description),
    value: option.required ? kindOfValue(option.flags) : undefined,
    choices: argChoices,
  };
}

function kindOfArgument(argument: Argument): WordKind {
  const name = argument.name();
  if (name === "file|name") return "releaseOrFile";
  if (name === "name" || name === "kind/name") return "release";
  if (name === "pipeline") return "pipeline";
  return name.startsWith("file") ? "file" : "other";
}

function kindOfValue(flags: string): WordKind {
  if (/<file>/i.test(flags)) return "file";
  return /<folder>/i.test(flags) ? "folder" : "other";
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
