import { Command, CommanderError } from "commander";
import { version } from "../operator/telemetry/version.ts";
import type { SynthesizableKind } from "../synth/synthesize.ts";
import { fairleadLine } from "./shell-text.ts";
import { endOnClosedPipe, printError } from "./terminal-text.ts";

type CommandFactory = (options: { readonly kinds: readonly SynthesizableKind[] }) => Command;

/**
 * In the order of the help. Each command is loaded when it is used: an operator should not load the local cluster's
 * code.
 */
const commands: Readonly<Record<string, () => Promise<CommandFactory>>> = {
  start: async () => (await import("./commands/start.ts")).startCommand,
  install: async () => (await import("./commands/install.ts")).installCommand,
  uninstall: async () => (await import("./commands/uninstall.ts")).uninstallCommand,
  run: async () => (await import("./commands/run.ts")).runCommand,
  get: async () => (await import("./commands/get.ts")).getCommand,
  diff: async () => (await import("./commands/diff.ts")).diffCommand,
  why: async () => (await import("./commands/why.ts")).whyCommand,
  tree: async () => (await import("./commands/tree.ts")).treeCommand,
  history: async () => (await import("./commands/history.ts")).historyCommand,
  events: async () => (await import("./commands/events.ts")).eventsCommand,
  logs: async () => (await import("./commands/logs.ts")).logsCommand,
  rollback: async () => (await import("./commands/rollback.ts")).rollbackCommand,
  reconcile: async () => (await import("./commands/reconcile.ts")).reconcileCommand,
  suspend: async () => (await import("./commands/suspend.ts")).suspendCommand,
  resume: async () => (await import("./commands/suspend.ts")).resumeCommand,
  plan: async () => (await import("./commands/plan.ts")).planCommand,
  verify: async () => (await import("./commands/verify.ts")).verifyCommand,
  pipeline: async () => (await import("./commands/pipeline.ts")).pipelineCommand,
  approvals: async () => (await import("./commands/approvals.ts")).approvalsCommand,
  approve: async () => (await import("./commands/approve.ts")).approveCommand,
  reject: async () => (await import("./commands/approve.ts")).rejectCommand,
  promote: async () => (await import("./commands/promote.ts")).promoteCommand,
  freeze: async () => (await import("./commands/freeze.ts")).freezeCommand,
  thaw: async () => (await import("./commands/freeze.ts")).thawCommand,
  render: async () => (await import("./commands/render.ts")).renderCommand,
  completion: async () => (await import("./commands/completion.ts")).completionCommand,
  crds: async () => (await import("./commands/crds.ts")).crdsCommand,
  cluster: async () => (await import("./commands/cluster.ts")).clusterCommand,
};

/** Commands whose exit code 1 does not mean failure. */
const failureCodes: Readonly<Record<string, number>> = { diff: 2, why: 2, plan: 2, verify: 2 };

/** Commands that first clean up when the reader of their output has ended, or that continue without their log. */
const outlivingReaders: ReadonlySet<string> = new Set(["start", "run"]);

/**
 * Runs one command line and returns the exit code: 0, or 1 (2 for `diff`, `why`, `plan` and `verify`, and if the kernel
 * does not isolate the processes for an untrusted source) for any failure, after a message on the standard error.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const lineOf = (...words: readonly string[]): string => fairleadLine(words, process.env);
  const program = new Command("fairlead")
    .description("A GitOps operator for Kubernetes whose manifests are TypeScript")
    .version(version)
    .showHelpAfterError(`(${lineOf("--help")} lists the commands)`)
    .exitOverride();
  if (!outlivingReaders.has(argv[2] ?? "")) endOnClosedPipe();
  const wanted = commands[argv[2] ?? ""];
  // A completion script needs all of them.
  const isAll = wanted === undefined || wanted === commands["completion"];
  const factories = isAll ? Object.values(commands) : [wanted];
  try {
    const { shippedKinds } = await import("../charts/bindings-delivery.ts");
    for (const load of factories) {
      const command = (await load())({ kinds: shippedKinds }).copyInheritedSettings(program);
      program.addCommand(
        command.showHelpAfterError(`(${lineOf(command.name(), "--help")} lists the options)`),
      );
    }
    await program.parseAsync(argv);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    const isRefusal = error instanceof Error && error.name === "WeakSandboxError";
    const failureCode = isRefusal ? 2 : (failureCodes[argv[2] ?? ""] ?? 1);
    // Commander has printed its message, which may be the requested help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : failureCode;
    printError(`fairlead: ${error instanceof Error ? error.message : String(error)}`);
    return failureCode;
  }
}
