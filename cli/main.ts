import { Command } from "commander";
import { version } from "../operator/version.ts";
import type { SynthesizableKind } from "../synth/synthesize.ts";

type CommandFactory = (options: { readonly kinds: readonly SynthesizableKind[] }) => Command;

/** In the order of the help. Each is loaded when it is wanted: an operator need not carry the local cluster's code. */
const commands: Readonly<Record<string, () => Promise<CommandFactory>>> = {
  start: async () => (await import("./commands/start.ts")).startCommand,
  install: async () => (await import("./commands/install.ts")).installCommand,
  uninstall: async () => (await import("./commands/uninstall.ts")).uninstallCommand,
  run: async () => (await import("./commands/run.ts")).runCommand,
  render: async () => (await import("./commands/render.ts")).renderCommand,
  crds: async () => (await import("./commands/crds.ts")).crdsCommand,
  cluster: async () => (await import("./commands/cluster.ts")).clusterCommand,
};

/**
 * Runs one command line and gives the exit code: 0, or 1 for anything that did not work, after a text on the
 * standard error that says what.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const program = new Command("fairlead")
    .description("A GitOps operator for Kubernetes whose manifests are TypeScript")
    .version(version)
    .showHelpAfterError("(fairlead --help lists the commands)");
  const wanted = commands[argv[2] ?? ""];
  const factories = wanted === undefined ? Object.values(commands) : [wanted];
  try {
    const { kinds } = await import("../charts/bindings.ts");
    for (const load of factories) {
      const command = (await load())({ kinds }).copyInheritedSettings(program);
      program.addCommand(command.showHelpAfterError(`(fairlead ${command.name()} --help lists the options)`));
    }
    await program.parseAsync(argv);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    process.stderr.write(`fairlead: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}
