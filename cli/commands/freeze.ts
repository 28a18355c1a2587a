import { Command } from "commander";
import { toMilliseconds } from "../../crds/duration.ts";
import { Freeze, type FreezeSpec } from "../../crds/freeze.ts";
import { instantMs } from "../../crds/kind-context.ts";
import { findPipeline, stageIn } from "../pipeline/pipeline-object.ts";
import { readCaller } from "../pipeline/who-am-i.ts";
import { formatColumns, printable } from "../release/columns.ts";
import { operatorCommandLine } from "../release/command-line.ts";
import { addReleaseOptions, type ReleaseFlags, withReleases } from "../release/release-command.ts";
import { type Screen, terminal } from "./screen.ts";

export interface FreezeFlags extends ReleaseFlags {
  readonly reason?: string;
  readonly stage?: readonly string[];
  readonly until?: string;
  readonly for?: string;
  readonly dryRun?: true;
}

/** `fairlead freeze [NAME]`: prevents stages from starting candidates. */
export function freezeCommand(): Command {
  const command = new Command("freeze")
    .description("Prevent a Pipeline, or all Pipelines of a namespace, from starting candidates")
    .argument("[pipeline]", "name of a Pipeline; namespace/name; default: all of the namespace")
    .requiredOption("--reason <text>", "reason, shown to users")
    .option("--stage <name>", "only this stage; repeatable", (value, all: readonly string[] = []) => [
      ...all,
      value,
    ])
    .option("--until <instant>", "when it ends, such as 2026-12-01T08:00Z; default: when it is deleted")
    .option("--for <time>", "duration from now, such as 8h")
    .option("--dry-run", "validate on the API server, and create nothing")
    .addHelpText(
      "after",
      `
Promotions in progress continue. Needs create on freezes.
Exits 0, or 1 on failure.`,
    );
  return addReleaseOptions(command).action((name: string | undefined, flags: FreezeFlags) =>
    runFreeze(name, { ...flags, nowMs: Date.now() }, terminal),
  );
}

/** @throws Error with a message for users. */
export async function runFreeze(
  name: string | undefined,
  flags: FreezeFlags & { readonly nowMs: number },
  { print }: Pick<Screen, "print">,
): Promise<void> {
  const until = endOf(flags);
  const { reason = "", stage: stages = [] } = flags;
  const isDryRun = flags.dryRun === true;
  const { made, what } = await withReleases(flags, async (session) => {
    const { client } = session;
    const [pipeline, caller] = await Promise.all([
      name === undefined ? undefined : findPipeline(name, session),
      readCaller(client),
    ]);
    if (pipeline !== undefined) for (const stage of stages) stageIn(pipeline, stage);
    const spec: FreezeSpec = {
      ...(pipeline && { pipelines: { names: [pipeline.metadata.name] } }),
      ...(stages.length > 0 && { stages: [...stages] }),
      ...(until !== undefined && { until }),
      reason,
      by: caller.username,
    };
    const namespace = pipeline?.metadata.namespace ?? session.namespace;
    const beginning = pipeline === undefined ? "freeze" : pipeline.metadata.name;
    const metadata = { namespace, generateName: `${beginning}-` };
    const freeze = await client.create(Freeze, { metadata, spec }, { dryRun: isDryRun });
    return { made: freeze, what: describeFrozen(spec, namespace) };
  });
  if (flags.output === "json") return print(JSON.stringify(made, undefined, 2));
  const end = until === undefined ? "until it is deleted" : `until ${until}`;
  if (isDryRun) return print(printable(`Would create a Freeze: ${what} ${end}`));
  const { name: freeze, namespace } = made.metadata;
  print(printable(`Freeze ${namespace}/${freeze} created: ${what} ${end}`));
  print(
    `To end it: ${operatorCommandLine(["thaw", `${namespace}/${freeze}`], { ...flags, env: process.env })}`,
  );
}

/** Time at which a Freeze ends, RFC 3339; undefined: when it is deleted. */
function endOf({ until, for: length, nowMs }: FreezeFlags & { readonly nowMs: number }): string | undefined {
  if (until !== undefined && length !== undefined)
    throw new Error("Cannot freeze: use either --until or --for");
  if (until !== undefined) {
    const instant = withSeconds(until);
    if (readInstant(instant, until) <= nowMs)
      throw new Error(`Cannot freeze until ${instant}: that has passed`);
    return instant;
  }
  if (length === undefined) return undefined;
  const lengthMs = toMilliseconds(length);
  if (Number.isNaN(lengthMs) || lengthMs <= 0)
    throw new RangeError(`Cannot use --for "${length}": expected a duration such as 90m or 8h`);
  return `${new Date(nowMs + lengthMs).toISOString().slice(0, 19)}Z`;
}

/** RFC 3339 and the API server require seconds, which users leave out. */
function withSeconds(until: string): string {
  return until.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d)(Z|[+-]\d\d:\d\d)$/i, "$1:00$2");
}

/** @param until The text of the user, for the message. */
function readInstant(instant: string, until: string): number {
  try {
    return instantMs(instant);
  } catch {
    const wanted = "an instant such as 2026-12-01T08:00:00Z";
    throw new RangeError(`Cannot use --until "${until}": expected ${wanted} (RFC 3339)`);
  }
}

function describeFrozen({ pipelines, stages = [] }: FreezeSpec, namespace: string): string {
  const [name] = pipelines?.names ?? [];
  const which =
    name === undefined ? `all Pipelines of namespace ${namespace}` : `Pipeline ${namespace}/${name}`;
  if (stages.length === 0) return which;
  return `stage${stages.length > 1 ? "s" : ""} ${stages.join(", ")} of ${which}`;
}

/** `fairlead thaw [NAME]`: ends a Freeze. */
export function thawCommand(): Command {
  const command = new Command("thaw")
    .description("Delete a Freeze; without a name, list those of the namespace")
    .argument("[freeze]", "name of a Freeze; namespace/name")
    .addHelpText(
      "after",
      `
Needs delete on freezes.
Exits 0, or 1 on failure.`,
    );
  return addReleaseOptions(command).action((name: string | undefined, flags: ReleaseFlags) =>
    runThaw(name, flags, terminal),
  );
}

/** @throws Error with a message for users. */
export async function runThaw(
  text: string | undefined,
  flags: ReleaseFlags,
  { print }: Pick<Screen, "print">,
): Promise<void> {
  const lines = await withReleases(flags, async ({ client, namespace: preset }) => {
    const slash = text?.indexOf("/") ?? -1;
    const namespace = slash === -1 ? preset : (text ?? "").slice(0, slash);
    const there = await client.list(Freeze, { namespace });
    const rows = there.map(({ metadata, spec }) => {
      const { until = "deleted", by = "", reason } = spec as FreezeSpec;
      return [metadata.name, `until ${until}`, by, reason];
    });
    if (text === undefined) {
      if (flags.output === "json") return [JSON.stringify(there, undefined, 2)];
      return rows.length === 0 ? [`There is no Freeze in namespace "${namespace}"`] : formatColumns(rows);
    }
    const name = text.slice(slash + 1);
    const found = there.find(({ metadata }) => metadata.name === name);
    if (found === undefined) {
      const names = there.map(({ metadata }) => metadata.name).join(", ");
      const known = names === "" ? "there is none" : `there are ${names}`;
      throw new Error(`Cannot thaw "${name}": in namespace "${namespace}" ${known}`);
    }
    await client.delete(Freeze, found);
    return flags.output === "json"
      ? [JSON.stringify(found, undefined, 2)]
      : [`Freeze ${namespace}/${name} ended`];
  });
  for (const line of lines) print(line);
}
