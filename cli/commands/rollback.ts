import type { Command } from "commander";
import { Release } from "../../crds/release.ts";
import { type ChosenRevision, choosePrevious, chooseRevision } from "../release/choose-revision.ts";
import { printable } from "../release/columns.ts";
import { commandLine } from "../release/command-line.ts";
import { UnknownReleaseError } from "../release/find-release.ts";
import { untilReady } from "../release/follow-release.ts";
import { releaseCommand, withReleases } from "../release/release-command.ts";
import { labelOfRelease, type ReleaseObject, shortCommit } from "../release/release-object.ts";
import { describeRelease } from "../release/state-line.ts";
import { readTimeout } from "./installation-options.ts";
import { bypassOption, runStageRollback, type StageRollbackFlags } from "./promote.ts";
import { addWaitOptions, type WaitFlags } from "./reconcile.ts";
import { type Screen, terminal } from "./screen.ts";

export interface RollbackFlags extends WaitFlags, Omit<StageRollbackFlags, "wait"> {
  /** Stage of the Pipeline with the given name. */
  readonly stage?: string;
}

/** `fairlead rollback NAME [REVISION]`: deploys an older commit, and pins the Release to it. */
export function rollbackCommand(): Command {
  const command = releaseCommand(
    "rollback",
    "Deploy an earlier commit of a Release and pin the Release to it",
  )
    .argument(
      "[revision]",
      "number in fairlead history, or id of a commit; default: the previous revision that was ready",
    )
    .option("--unpin", "remove the pin and follow the source again")
    .option(
      "--stage <stage>",
      "of a Pipeline: roll this stage back to the digest that passed before, and hold it there",
    )
    .addOption(bypassOption("with --stage: gates to skip; needs --reason and the verb bypass"))
    .option("--reason <text>", "with --stage: reason, shown to users");
  return addWaitOptions(command)
    .addHelpText(
      "after",
      `With --wait, also exits 1 if the Release does not become ready, and prints the reason.
A rollback pins the Release (spec.revision): new commits are not deployed until --unpin.
With --stage, the name is that of a Pipeline, and a Promotion with spec.hold is created (docs/approvals.md).
It names the digest that passed. If the commit renders differently now, the stage does not start it, and
fairlead pipeline PIPELINE shows the command that deploys it as it renders now.`,
    )
    .action((name: string, revision: string | undefined, flags: RollbackFlags) =>
      runRollback({ name, revision }, flags, terminal),
    );
}

/** @throws Error with a message for users. */
export async function runRollback(
  { name, revision }: { readonly name: string; readonly revision: string | undefined },
  flags: RollbackFlags,
  { print, withProgress }: Screen,
): Promise<void> {
  if (flags.stage !== undefined)
    return await runStageRollback({ name, revision, stage: flags.stage }, flags, { print });
  if (flags.bypass !== undefined || flags.reason !== undefined)
    throw new Error("Cannot roll back: --bypass and --reason need --stage");
  const timeoutMs = readTimeout(flags.timeout);
  const named = { ...flags, env: process.env };
  if (flags.unpin === true && revision !== undefined)
    throw new Error("Cannot roll back: --unpin cannot be used with a revision");
  const { after, said } = await withReleases(flags, async ({ client, find }) => {
    const release = await findOrHint(name, find);
    const chosen = flags.unpin === true ? undefined : choose(release, revision);
    // In a merge patch, null removes a field.
    const change = { spec: { revision: chosen?.revision ?? null } };
    const pinned = (await client.patch(Release, release, change)) as ReleaseObject;
    const words =
      chosen === undefined
        ? sayUnpinned(release)
        : sayPinned(pinned, chosen, commandLine(["rollback", "--unpin"], release, named));
    if (flags.wait !== true) return { after: pinned, said: words };
    const ready = await withProgress(`Rolling back Release ${labelOfRelease(release)}`, (report) =>
      untilReady(pinned, { client, report, timeoutMs }),
    );
    return { after: ready, said: [...words, describeRelease(ready)] };
  });
  if (flags.output === "json") return print(JSON.stringify(after, undefined, 2));
  for (const line of said) print(printable(line));
  if (after.spec.suspend)
    print(`It is suspended. To deploy, resume it: ${commandLine(["resume"], after, named)}`);
}

/** @throws UnknownReleaseError that also mentions Pipelines, because `fairlead rollback` takes their names with `--stage`. */
async function findOrHint(
  name: string,
  find: (name: string) => Promise<ReleaseObject>,
): Promise<ReleaseObject> {
  try {
    return await find(name);
  } catch (error) {
    if (!(error instanceof UnknownReleaseError)) throw error;
    throw new UnknownReleaseError(`${error.message}. To roll back a stage of a Pipeline, add --stage STAGE`);
  }
}

function choose(release: ReleaseObject, revision: string | undefined): ChosenRevision {
  return revision === undefined ? choosePrevious(release) : chooseRevision(release, revision);
}

function sayPinned(
  release: ReleaseObject,
  { revision, entry }: ChosenRevision,
  unpin: string,
): readonly string[] {
  const what = entry === undefined ? "" : ` (${entry.subject})`;
  return [
    `Release ${labelOfRelease(release)} is pinned to ${shortCommit(revision)}${what}`,
    `To remove the pin and follow the source again: ${unpin}`,
  ];
}

function sayUnpinned(before: ReleaseObject): readonly string[] {
  const title = `Release ${labelOfRelease(before)}`;
  return [
    before.spec.revision === undefined ? `${title} was not pinned` : `${title} follows its source again`,
  ];
}
