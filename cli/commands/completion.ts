import { Argument, Command } from "commander";
import { bashScript } from "../completion/bash-script.ts";
import { type CompletedCommand, describeCommand } from "../completion/describe-commands.ts";
import { fishScript } from "../completion/fish-script.ts";
import { zshScript } from "../completion/zsh-script.ts";
import { printText } from "../terminal-text.ts";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;
type Shell = keyof typeof scripts;

/** `fairlead completion SHELL`: prints a script for shell completion of commands, options and names of Releases. */
export function completionCommand(): Command {
  return new Command("completion")
    .description("Print a script that completes commands, options and names of Releases in bash, zsh or fish")
    .addArgument(new Argument("<shell>", "shell to print the script for").choices(Object.keys(scripts)))
    .addHelpText(
      "after",
      `
In the current shell, or in its startup file for all new shells:
  bash  source <(fairlead completion bash)
  zsh   source <(fairlead completion zsh)
  fish  fairlead completion fish | source
The shell must find the command fairlead: install the package with npm install --global.`,
    )
    .action((shell: Shell, _: object, command: Command) => {
      const program = command.parent ?? command;
      printText(completionScript(shell, describeCommand(program)));
    });
}

/** The script of one shell. Pure. */
export function completionScript(shell: Shell, program: CompletedCommand): string {
  return scripts[shell](program);
}
