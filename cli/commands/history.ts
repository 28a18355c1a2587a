import type { Command } from "commander";
import { formatHistory } from "../release/history-text.ts";
import { type ReleaseFlags, releaseCommand, withReleases } from "../release/release-command.ts";
import { historyOf } from "../release/release-object.ts";
import { describeRelease, describeTrouble } from "../release/state-line.ts";
import { type Screen, terminal } from "./screen.ts";

/** `fairlead history NAME`: lists the deployed revisions, their authors and outcomes. */
export function historyCommand(): Command {
  return releaseCommand("history", "List the revisions that a Release deployed, newest first").action(
    (name: string, flags: ReleaseFlags) => runHistory(name, flags, terminal),
  );
}

/** @throws Error with a message for users. */
export async function runHistory(name: string, flags: ReleaseFlags, { print }: Screen): Promise<void> {
  const release = await withReleases(flags, ({ find }) => find(name));
  if (flags.output === "json") return print(JSON.stringify(historyOf(release), undefined, 2));
  print(describeRelease(release));
  const trouble = describeTrouble(release);
  if (trouble !== undefined) print(`  ${trouble.replaceAll(/\s+/g, " ")}`);
  if (historyOf(release).length === 0) print("Nothing has been deployed yet");
  else for (const line of formatHistory(release)) print(line);
}
