import type { Command } from "commander";
import { Release } from "../../crds/release.ts";
import { type ReleaseFlags, releaseCommand, withReleases } from "../release/release-command.ts";
import { labelOfRelease, type ReleaseObject, shortCommit } from "../release/release-object.ts";
import { type Screen, terminal } from "./screen.ts";

/** `fairlead suspend NAME`: leaves everything as it is. */
export function suspendCommand(): Command {
  return releaseCommand(
    "suspend",
    "Leave everything that a Release deployed as it is, until it is resumed",
  ).action((name: string, flags: ReleaseFlags) => runSuspend(name, { ...flags, suspend: true }, terminal));
}

/** `fairlead resume NAME`: goes on after a suspend. */
export function resumeCommand(): Command {
  return releaseCommand(
    "resume",
    "Go on with a Release that was suspended; a pin of a rollback stays",
  ).action((name: string, flags: ReleaseFlags) => runSuspend(name, { ...flags, suspend: false }, terminal));
}

/** @throws an error for people. */
export async function runSuspend(
  name: string,
  { suspend, ...flags }: ReleaseFlags & { readonly suspend: boolean },
  { print }: Screen,
): Promise<void> {
  const { before, after } = await withReleases(flags, async ({ client, find }) => {
    const release = await find(name);
    if (release.spec.suspend === suspend) return { before: release, after: release };
    const patched = (await client.patch(Release, release, { spec: { suspend } })) as ReleaseObject;
    return { before: release, after: patched };
  });
  if (flags.output === "json") return print(JSON.stringify(after, undefined, 2));
  const title = `Release ${labelOfRelease(after)}`;
  const said = suspend ? "is suspended" : "goes on";
  print(
    before.spec.suspend === suspend
      ? `${title} ${suspend ? "was suspended already" : "was not suspended"}`
      : `${title} ${said}`,
  );
  const { revision } = after.spec;
  if (!suspend && revision !== undefined)
    print(
      `It stays pinned to ${shortCommit(revision)}: fairlead rollback ${after.metadata.name} --unpin takes the pin off`,
    );
}
