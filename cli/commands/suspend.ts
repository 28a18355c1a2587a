import { Command } from "commander";
import { Release } from "../../crds/release.ts";
import type { ApiClient } from "../release/api-client.ts";
import { commandLine, operatorCommandLine } from "../release/command-line.ts";
import { listReleases } from "../release/list-releases.ts";
import {
  addReleaseOptions,
  type ReleaseFlags,
  type ReleaseSession,
  withReleases,
} from "../release/release-command.ts";
import { labelOfRelease, type ReleaseObject, shortCommit } from "../release/release-object.ts";
import { printError } from "../terminal-text.ts";
import { type Screen, terminal } from "./screen.ts";

export interface SuspendFlags extends ReleaseFlags {
  /** Selects all Releases of the namespace. */
  readonly all?: boolean;
  /** With `all`: selects all Releases of all namespaces. */
  readonly allNamespaces?: boolean;
}

/** `fairlead suspend NAME`: stops reconciling a Release. */
export function suspendCommand(): Command {
  return commandOf(
    "suspend",
    "Stop reconciling a Release until it is resumed; its objects stay unchanged",
    true,
  );
}

/** `fairlead resume NAME`: reconciles a suspended Release again. */
export function resumeCommand(): Command {
  return commandOf("resume", "Reconcile a suspended Release again; the pin of a rollback stays", false);
}

function commandOf(verb: string, description: string, suspend: boolean): Command {
  const others = suspend ? "" : ", including those suspended by other users";
  const command = new Command(verb)
    .description(description)
    .argument("[name]", "name of a Release, or a unique prefix of one; namespace/name")
    .option("--all", `all Releases of the namespace${others}`)
    .option("-A, --all-namespaces", "with --all: all Releases of all namespaces")
    .addHelpText("after", "\nExits 0, or 1 if it failed for one of them.");
  return addReleaseOptions(command).action((name: string | undefined, flags: SuspendFlags) =>
    runSuspend(name, { ...flags, suspend }, terminal),
  );
}

/** @throws Error with a message for users. */
export async function runSuspend(
  name: string | undefined,
  flags: SuspendFlags & { readonly suspend: boolean },
  screen: Pick<Screen, "print">,
): Promise<void> {
  const { suspend, all = false, allNamespaces = false } = flags;
  const verb = suspend ? "suspend" : "resume";
  if ((all || allNamespaces) && name !== undefined)
    throw new Error(`Cannot ${verb} Release "${name}": use either a name, or --all or -A`);
  if (allNamespaces && !all) {
    throw new Error(
      `Cannot ${verb}: -A needs --all. For all Releases of the cluster: ${operatorCommandLine([verb, "--all", "-A"], { ...flags, env: process.env })}`,
    );
  }
  if (!all && name === undefined)
    throw new Error(
      `Cannot ${verb}: expected the name of a Release, or --all for all Releases of the namespace`,
    );
  await withReleases(flags, (session) =>
    name === undefined ? setAll(session, flags, screen) : setOne(name, session, flags, screen),
  );
}

type SetFlags = SuspendFlags & { readonly suspend: boolean };

async function setOne(
  name: string,
  { client, find }: ReleaseSession,
  flags: SetFlags,
  { print }: Pick<Screen, "print">,
): Promise<void> {
  const { suspend, output } = flags;
  const before = await find(name);
  const after = await setSuspend(before, suspend, client);
  if (output === "json") return print(JSON.stringify(after, undefined, 2));
  const said = suspend ? "was already suspended" : "was not suspended";
  if (before.spec.suspend === suspend) print(`Release ${labelOfRelease(after)} ${said}`);
  else print(describe(after, suspend));
  const { revision } = after.spec;
  if (suspend || revision === undefined) return;
  const unpin = commandLine(["rollback", "--unpin"], after, { ...flags, env: process.env });
  print(`It stays pinned to ${shortCommit(revision)}. To remove the pin: ${unpin}`);
}

/** Changes Releases one after the other. A failure is reported, and the others are still changed. */
async function setAll(
  { client, namespace }: ReleaseSession,
  { suspend, allNamespaces = false, output }: SetFlags,
  { print }: Pick<Screen, "print">,
): Promise<void> {
  const there = await listReleases(client, { namespace: allNamespaces ? undefined : namespace });
  const set: ReleaseObject[] = [];
  let already = 0;
  let failed = 0;
  for (const release of there) {
    if (release.spec.suspend === suspend) already++;
    try {
      set.push(await setSuspend(release, suspend, client));
    } catch (error) {
      failed++;
      printError(`fairlead: ${error instanceof Error ? error.message : String(error)}`);
      continue;
    }
    if (output !== "json" && release.spec.suspend !== suspend) print(describe(release, suspend));
  }
  if (failed > 0) process.exitCode = 1;
  if (output === "json") return print(JSON.stringify(set, undefined, 2));
  const where = allNamespaces ? "in all namespaces" : `in namespace "${namespace}"`;
  if (there.length === 0) return print(`There is no Release ${where}`);
  const changed = there.length - already - failed;
  const [done, was] = suspend ? ["suspended", "were already suspended"] : ["resumed", "were not suspended"];
  print(`${there.length} Releases ${where}: ${changed} ${done}, ${already} ${was}, ${failed} failed`);
}

function describe(release: ReleaseObject, suspend: boolean): string {
  return `Release ${labelOfRelease(release)} ${suspend ? "is suspended" : "is resumed"}`;
}

async function setSuspend(
  release: ReleaseObject,
  suspend: boolean,
  client: ApiClient,
): Promise<ReleaseObject> {
  if (release.spec.suspend === suspend) return release;
  return (await client.patch(Release, release, { spec: { suspend } })) as ReleaseObject;
}
