import { kinds } from "../charts/bindings.ts";
import { approvalsCommand } from "../cli/commands/approvals.ts";
import { approveCommand, rejectCommand } from "../cli/commands/approve.ts";
import { clusterCommand } from "../cli/commands/cluster.ts";
import { completionCommand } from "../cli/commands/completion.ts";
import { crdsCommand } from "../cli/commands/crds.ts";
import { diffCommand } from "../cli/commands/diff.ts";
import { eventsCommand } from "../cli/commands/events.ts";
import { freezeCommand, thawCommand } from "../cli/commands/freeze.ts";
import { getCommand } from "../cli/commands/get.ts";
import { historyCommand } from "../cli/commands/history.ts";
import { installCommand } from "../cli/commands/install.ts";
import { logsCommand } from "../cli/commands/logs.ts";
import { pipelineCommand } from "../cli/commands/pipeline.ts";
import { planCommand } from "../cli/commands/plan.ts";
import { promoteCommand } from "../cli/commands/promote.ts";
import { reconcileCommand } from "../cli/commands/reconcile.ts";
import { renderCommand } from "../cli/commands/render.ts";
import { rollbackCommand } from "../cli/commands/rollback.ts";
import { runCommand } from "../cli/commands/run.ts";
import { startCommand } from "../cli/commands/start.ts";
import { resumeCommand, suspendCommand } from "../cli/commands/suspend.ts";
import { treeCommand } from "../cli/commands/tree.ts";
import { uninstallCommand } from "../cli/commands/uninstall.ts";
import { verifyCommand } from "../cli/commands/verify.ts";
import { whyCommand } from "../cli/commands/why.ts";

/** Long options of all commands and their subcommands, by command. */
export const commands = new Map(
  [
    clusterCommand(),
    ...[
      approvalsCommand,
      approveCommand,
      completionCommand,
      eventsCommand,
      freezeCommand,
      getCommand,
      historyCommand,
      logsCommand,
      pipelineCommand,
      promoteCommand,
      reconcileCommand,
      rejectCommand,
      rollbackCommand,
      suspendCommand,
      resumeCommand,
      thawCommand,
      verifyCommand,
    ].map((make) => make()),
    ...[
      crdsCommand,
      diffCommand,
      installCommand,
      planCommand,
      renderCommand,
      runCommand,
      startCommand,
      treeCommand,
      uninstallCommand,
      whyCommand,
    ].map((make) => make({ kinds })),
  ].map((command) => [
    command.name(),
    new Set([command, ...command.commands].flatMap(({ options }) => options.map(({ long }) => long))),
  ]),
);
