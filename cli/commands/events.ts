import { Command } from "commander";
import { formatEvents, readEvents } from "../release/operator-events.ts";
import { addReleaseOptions, type ReleaseFlags, withReleases } from "../release/release-command.ts";
import { cutToTerminal, type Screen, terminal } from "./screen.ts";

export interface EventsFlags extends ReleaseFlags {
  readonly allNamespaces?: boolean;
}

/** `fairlead events [NAME]`: lists the operator's events about one Release, or about all of its resources. */
export function eventsCommand(): Command {
  const command = new Command("events")
    .description("List events of the operator: deployments, repairs, deletions, failures")
    .argument("[name]", "name of a Release, or a unique prefix of one; namespace/name")
    .option("-A, --all-namespaces", "of all namespaces")
    .addHelpText(
      "after",
      "\nThe newest event is last. The API server keeps events for an hour.\nExits 0, or 1 on failure.",
    );
  return addReleaseOptions(command).action((name: string | undefined, flags: EventsFlags) =>
    runEvents(name, flags, terminal),
  );
}

/** @throws Error with a message for users. */
export async function runEvents(
  name: string | undefined,
  { allNamespaces = false, output, ...flags }: EventsFlags,
  { print }: Pick<Screen, "print">,
): Promise<void> {
  if (allNamespaces && name !== undefined)
    throw new Error(`Cannot list events of Release "${name}": use either -A or a name`);
  const { events, title } = await withReleases(flags, async ({ client, namespace: preset, find }) => {
    const release = name === undefined ? undefined : await find(name);
    const namespace = allNamespaces ? undefined : (release?.metadata.namespace ?? preset);
    const where = allNamespaces ? "in any namespace" : `in namespace "${namespace}"`;
    const about = release === undefined ? where : `about Release ${namespace}/${release.metadata.name}`;
    return { events: await readEvents(client, { namespace, release }), title: about };
  });
  if (output === "json") return print(JSON.stringify(events, undefined, 2));
  if (events.length === 0) return print(`The operator reported nothing ${title} within the last hour`);
  const table = formatEvents(events, { namespaces: allNamespaces, nowMs: Date.now() });
  for (const line of table) print(cutToTerminal(line));
}
