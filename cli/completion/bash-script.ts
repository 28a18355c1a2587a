import type { CompletedCommand, CompletedOption, WordKind } from "./describe-commands.ts";
import { joinedLookupFlags, leavesOf, lookupFlags } from "./leaves.ts";

/** A script for bash, from 3.2 on. Pure. */
export function bashScript(program: CompletedCommand): string {
  const groups = program.subcommands.filter(({ subcommands }) => subcommands.length > 0);
  return `# Completion of ${program.name} for bash: source <(${program.name} completion bash)
_fairlead_add() {
  local line
  while IFS= read -r line; do COMPREPLY+=("$line"); done
}
_fairlead_words() { _fairlead_add < <(compgen -W "$1" -- "$cur"); }
_fairlead_names() {
  local index value name
  local -a flags=()
  for ((index = 2; index < COMP_CWORD; index++)); do
    case "\${COMP_WORDS[index]}" in
      ${lookupFlags.join(" | ")})
        value=$((index + 1))
        if [[ "\${COMP_WORDS[value]}" == = ]]; then value=$((index + 2)); fi
        flags+=("\${COMP_WORDS[index]}" "\${COMP_WORDS[value]}")
        ;;
      ${joinedLookupFlags.join(" | ")}) flags+=("\${COMP_WORDS[index]}") ;;
    esac
  done
  # Not compgen -W: it would expand what the API server sends.
  while IFS= read -r name; do
    if [[ -n "$name" && "$name" == "$cur"* ]]; then COMPREPLY+=("$name"); fi
  done < <(fairlead get "$1" --output=name \${flags[@]+"\${flags[@]}"} 2>/dev/null)
}
_fairlead() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD - 1]}"
  COMPREPLY=()
  # From 4.0 on, bash makes three words of --option=value.
  if [[ "$prev" == = ]]; then prev="\${COMP_WORDS[COMP_CWORD - 2]}"; fi
  if [[ "$cur" == = ]]; then cur=""; fi
  if ((COMP_CWORD == 1)); then
    _fairlead_words '${namesOf(program.subcommands)}'
    return
  fi
  case "$COMP_CWORD \${COMP_WORDS[1]}" in
${groups.map((group) => `    '2 ${group.name}') _fairlead_words '${namesOf(group.subcommands)}' && return ;;`).join("\n")}
  esac
  case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${leavesOf(program)
  .map(({ path, command }) => leafCase(path, command))
  .join("\n")}
  esac
}
complete -o filenames -F _fairlead ${program.name}
`;
}

function leafCase(path: readonly string[], { options, argument, choices }: CompletedCommand): string {
  const pattern = path.length === 1 ? `'${path[0]} '*` : `'${path.join(" ")}'`;
  return `    ${pattern})
      case "$prev" in
${options
  .filter(({ value }) => value !== undefined)
  .map(valueCase)
  .join("\n")}
      esac
      case "$cur" in
        -*) _fairlead_words '${options.flatMap(({ flags }) => flags).join(" ")}' && return ;;
      esac
${[...wordsFor(argument, choices)].map((line) => `      ${line}`).join("\n") || "      :"}
      ;;`;
}

function valueCase(option: CompletedOption): string {
  const words = wordsFor(option.value, option.choices).join("; ");
  return `        ${option.flags.join(" | ")}) ${words === "" ? "" : `${words}; `}return ;;`;
}

function wordsFor(kind: WordKind | undefined, choices: readonly string[]): readonly string[] {
  if (choices.length > 0) return [`_fairlead_words '${choices.join(" ")}'`];
  if (kind === "file") return ['_fairlead_add < <(compgen -f -- "$cur")'];
  if (kind === "folder") return ['_fairlead_add < <(compgen -d -- "$cur")'];
  if (kind === "release") return ["_fairlead_names releases"];
  if (kind === "pipeline") return ["_fairlead_names pipelines"];
  if (kind === "releaseOrFile")
    return ["_fairlead_names releases", '_fairlead_add < <(compgen -f -- "$cur")'];
  return [];
}

function namesOf(commands: readonly CompletedCommand[]): string {
  return commands.map(({ name }) => name).join(" ");
}
