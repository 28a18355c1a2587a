import type { CompletedCommand, CompletedOption, WordKind } from "./describe-commands.ts";
import { joinedLookupFlags, leavesOf, lookupFlags } from "./leaves.ts";

/** A script for zsh: to be sourced, or the file `_fairlead` in a folder of `fpath`. Pure. */
export function zshScript(program: CompletedCommand): string {
  const groups = program.subcommands.filter(({ subcommands }) => subcommands.length > 0);
  return `#compdef ${program.name}
# Completion of ${program.name} for zsh: source <(${program.name} completion zsh)
_fairlead_names() {
  local index
  local -a flags names
  for ((index = 3; index < CURRENT; index++)); do
    case "$words[index]" in
      (${lookupFlags.join("|")}) flags+=("$words[index]" "$words[index + 1]") ;;
      (${joinedLookupFlags.join("|")}) flags+=("$words[index]") ;;
    esac
  done
  names=(\${(f)"$(fairlead get "$1" --output=name $flags 2>/dev/null)"})
  compadd -a names
}
_fairlead() {
  local -a list
  if ((CURRENT == 2)); then
    list=(${program.subcommands.map(describeName).join(" ")})
    _describe command list
    return
  fi
  case "$CURRENT $words[2]" in
${groups.map((group) => `    ('3 ${group.name}') list=(${group.subcommands.map(describeName).join(" ")}); _describe command list; return ;;`).join("\n")}
  esac
  case "$words[2] $words[3]" in
${leavesOf(program)
  .map(({ path, command }) => leafCase(path, command))
  .join("\n")}
  esac
}
if [[ "$funcstack[1]" == _fairlead ]]; then _fairlead "$@"; else compdef _fairlead ${program.name}; fi
`;
}

function leafCase(path: readonly string[], { options, argument, choices }: CompletedCommand): string {
  const pattern = path.length === 1 ? `'${path[0]} '*` : `'${path.join(" ")}'`;
  const described = options.flatMap(({ flags, help }) => flags.map((flag) => item(flag, help)));
  return `    (${pattern})
      case "$words[CURRENT - 1]" in
${options
  .filter(({ value }) => value !== undefined)
  .map(valueCase)
  .join("\n")}
      esac
      if [[ "$words[CURRENT]" == -* ]]; then
        list=(${described.join(" ")})
        _describe -o option list
        return
      fi
      ${wordsFor(argument, choices).join("; ") || ":"}
      ;;`;
}

function valueCase({ flags, value, choices }: CompletedOption): string {
  const words = wordsFor(value, choices).join("; ");
  return `        (${flags.join("|")}) ${words === "" ? "" : `${words}; `}return ;;`;
}

function wordsFor(kind: WordKind | undefined, choices: readonly string[]): readonly string[] {
  if (choices.length > 0) return [`compadd ${choices.join(" ")}`];
  if (kind === "file") return ["_files"];
  if (kind === "folder") return ["_files -/"];
  if (kind === "release") return ["_fairlead_names releases"];
  if (kind === "pipeline") return ["_fairlead_names pipelines"];
  if (kind === "releaseOrFile") return ["_fairlead_names releases", "_files"];
  return [];
}

function describeName({ name, help }: CompletedCommand): string {
  return item(name, help);
}

/** `'name:description'`; an unescaped colon would end the name. */
function item(name: string, help: string): string {
  return `'${`${name.replaceAll(":", "\\:")}:${help}`.replaceAll("'", "'\\''")}'`;
}
