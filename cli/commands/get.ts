import { Argument, Command, Option } from "commander";
import { labelOfPipeline, listPipelines } from "../pipeline/pipeline-object.ts";
import { formatPipelines } from "../pipeline/pipelines-table.ts";
import { listReleases } from "../release/list-releases.ts";
import { addConnectionOptions, type ReleaseFlags, withReleases } from "../release/release-command.ts";
import { labelOfRelease } from "../release/release-object.ts";
import { formatReleases } from "../release/releases-table.ts";
import { cutToTerminal, type Screen, terminal } from "./screen.ts";

export interface GetFlags extends Omit<ReleaseFlags, "output"> {
  readonly allNamespaces?: boolean;
  readonly output?: "json" | "name";
}

/** `fairlead get releases|pipelines`: lists those of one namespace, or of all. */
export function getCommand(): Command {
  const command = new Command("get")
    .description(
      "List the Releases or Pipelines of a namespace or of all namespaces, with readiness, revision and message",
    )
    .addArgument(new Argument("<what>", "what to list").choices(["releases", "pipelines"]))
    .option("-A, --all-namespaces", "of all namespaces")
    .addOption(
      new Option(
        "-o, --output <format>",
        "output for programs: all fields (json) or only names (name)",
      ).choices(["json", "name"]),
    );
  return addConnectionOptions(command).action((what: string, flags: GetFlags) =>
    what === "pipelines" ? runGetPipelines(flags, terminal) : runGet(flags, terminal),
  );
}

/** @throws Error with a message for users. */
export async function runGet(
  { output, allNamespaces = false, ...flags }: GetFlags,
  { print }: Pick<Screen, "print">,
): Promise<void> {
  const { namespace, releases } = await withReleases(flags, async (session) => ({
    namespace: session.namespace,
    releases: await listReleases(session.client, {
      namespace: allNamespaces ? undefined : session.namespace,
    }),
  }));
  if (output === "json") return print(JSON.stringify(releases, undefined, 2));
  if (output === "name") {
    for (const release of releases) print(allNamespaces ? labelOfRelease(release) : release.metadata.name);
    return;
  }
  if (releases.length === 0)
    return print(`There is no Release in ${allNamespaces ? "any namespace" : `namespace "${namespace}"`}`);
  const table = formatReleases(releases, { namespaces: allNamespaces, nowMs: Date.now() });
  for (const line of table) print(cutToTerminal(line));
}

/** @throws Error with a message for users. */
export async function runGetPipelines(
  { output, allNamespaces = false, ...flags }: GetFlags,
  { print }: Pick<Screen, "print">,
): Promise<void> {
  const { namespace, pipelines } = await withReleases(flags, async (session) => ({
    namespace: session.namespace,
    pipelines: await listPipelines(session.client, {
      namespace: allNamespaces ? undefined : session.namespace,
    }),
  }));
  if (output === "json") return print(JSON.stringify(pipelines, undefined, 2));
  if (output === "name") {
    for (const pipeline of pipelines)
      print(allNamespaces ? labelOfPipeline(pipeline) : pipeline.metadata.name);
    return;
  }
  if (pipelines.length === 0)
    return print(`There is no Pipeline in ${allNamespaces ? "any namespace" : `namespace "${namespace}"`}`);
  const table = formatPipelines(pipelines, { namespaces: allNamespaces, nowMs: Date.now() });
  for (const line of table) print(cutToTerminal(line));
}
