import type { Command } from "commander";
import { Release, releaseAnnotations } from "../../crds/release.ts";
import { commandLine } from "../release/command-line.ts";
import { untilReady } from "../release/follow-release.ts";
import { type ReleaseFlags, releaseCommand, withReleases } from "../release/release-command.ts";
import { labelOfRelease, type ReleaseObject } from "../release/release-object.ts";
import { describeRelease } from "../release/state-line.ts";
import { readTimeout } from "./installation-options.ts";
import { type Screen, terminal } from "./screen.ts";

export interface WaitFlags extends ReleaseFlags {
  readonly wait?: true;
  readonly timeout?: string;
}

/** Adds the options of commands that can wait until a Release is ready. */
export function addWaitOptions(command: Command): Command {
  return command
    .option("--wait", "wait until everything is applied and healthy")
    .option("--timeout <time>", "how long to wait", "5m");
}

/** `fairlead reconcile NAME`: requests an immediate poll of the remote. */
export function reconcileCommand(): Command {
  const command = releaseCommand(
    "reconcile",
    "Poll the source of a Release now, without waiting for its interval",
  );
  return addWaitOptions(command)
    .addHelpText(
      "after",
      "With --wait, also exits 1 if the Release does not become ready, and prints the reason.",
    )
    .action((name: string, flags: WaitFlags) => runReconcile(name, flags, terminal));
}

/** @throws Error with a message for users. */
export async function runReconcile(
  name: string,
  flags: WaitFlags,
  { print, withProgress }: Screen,
): Promise<void> {
  const timeoutMs = readTimeout(flags.timeout);
  const release = await withReleases(flags, async ({ client, find }) => {
    const found = await find(name);
    if (found.spec.suspend) {
      const title = `Release ${labelOfRelease(found)}`;
      const resume = commandLine(["resume"], found, { ...flags, env: process.env });
      throw new Error(`Cannot reconcile ${title}: it is suspended. To resume it: ${resume}`);
    }
    const request = new Date().toISOString();
    const metadata = { annotations: { [releaseAnnotations.requestedAt]: request } };
    const asked = (await client.patch(Release, found, { metadata })) as ReleaseObject;
    if (flags.wait !== true) return asked;
    return await withProgress(`Reconciling Release ${labelOfRelease(asked)}`, (report) =>
      untilReady(asked, { client, report, timeoutMs, request }),
    );
  });
  if (flags.output === "json") print(JSON.stringify(release, undefined, 2));
  else if (flags.wait === true) print(describeRelease(release));
  else print(`Requested a poll of the source of Release ${labelOfRelease(release)}`);
}
