import { Command } from "commander";
import { kinds } from "../charts/bindings.ts";
import { version } from "../operator/version.ts";
import { clusterCommand } from "./commands/cluster.ts";
import { crdsCommand } from "./commands/crds.ts";
import { renderCommand } from "./commands/render.ts";
import { runCommand } from "./commands/run.ts";
import { startCommand } from "./commands/start.ts";

/**
 * Runs one command line and gives the exit code: 0, or 1 for anything that did not work, after one line on the
 * standard error that says what.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const program = new Command("fairlead")
    .description("A GitOps operator for Kubernetes whose manifests are TypeScript")
    .version(version)
    .showHelpAfterError("(fairlead --help lists the commands)")
    .configureHelp({ sortSubcommands: false });
  program
    .addCommand(startCommand({ kinds }))
    .addCommand(runCommand({ kinds }))
    .addCommand(renderCommand({ kinds }))
    .addCommand(crdsCommand({ kinds }))
    .addCommand(clusterCommand());
  try {
    await program.parseAsync(argv);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    process.stderr.write(`fairlead: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}
