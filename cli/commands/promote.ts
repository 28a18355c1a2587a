import { Command, Option } from "commander";
import { dnsSubdomain } from "../../crds/names.ts";
import { type Bypass, bypassable, Promotion, type PromotionSpec } from "../../crds/promotion.ts";
import { choosePromotion, chooseRollback, type RequestedTarget } from "../pipeline/choose-promotion.ts";
import { findPipeline, labelOfPipeline, type PipelineObject } from "../pipeline/pipeline-object.ts";
import { readCaller } from "../pipeline/who-am-i.ts";
import type { ApiClient, StoredObject } from "../release/api-client.ts";
import { printable } from "../release/columns.ts";
import { kubectlLine } from "../release/command-line.ts";
import { addReleaseOptions, type ReleaseFlags, withReleases } from "../release/release-command.ts";
import { shortCommit } from "../release/release-object.ts";
import { type Screen, terminal } from "./screen.ts";

export interface PromoteFlags extends ReleaseFlags {
  readonly bypass?: readonly Bypass[];
  readonly hold?: true;
  readonly reason?: string;
  readonly dryRun?: true;
}

/** `fairlead promote NAME STAGE [REVISION]`: requests a Promotion manually. */
export function promoteCommand(): Command {
  const command = new Command("promote")
    .description("Request that a stage of a Pipeline runs a commit, for example to retry or for a hotfix")
    .argument("<pipeline>", "name of a Pipeline; namespace/name")
    .argument("<stage>", "name of a stage")
    .argument("[revision]", "id of a commit, or a prefix of it; default: that of the next candidate")
    .addOption(bypassOption("gates to skip; needs --reason and the verb bypass"))
    .option("--hold", "hold the stage at this commit until the Promotion is deleted")
    .option("--reason <text>", "reason, shown to users")
    .option("--dry-run", "validate on the API server, and create nothing")
    .addHelpText(
      "after",
      `
Needs the verb promote on stages.fairlead.dev "<pipeline>.<stage>", and create on promotions (docs/approvals.md).
Exits 0, or 1 on failure.`,
    );
  return addReleaseOptions(command).action(
    (pipeline: string, stage: string, revision: string | undefined, flags: PromoteFlags) =>
      runPromote({ pipeline, stage, revision }, flags, terminal),
  );
}

/** `--bypass` of a command that requests a Promotion. */
export function bypassOption(description: string): Option {
  return new Option("--bypass <gate...>", description).choices(bypassable);
}

/** @throws Error with a message for users. */
export async function runPromote(
  {
    pipeline: name,
    stage,
    revision,
  }: { readonly pipeline: string; readonly stage: string; readonly revision: string | undefined },
  flags: PromoteFlags,
  { print }: Pick<Screen, "print">,
): Promise<void> {
  if (flags.bypass !== undefined && flags.reason === undefined)
    throw new Error("Cannot promote: --bypass needs --reason");
  const { made, said } = await withReleases(flags, async (session) => {
    const pipeline = await findPipeline(name, session);
    const target = choosePromotion(pipeline, stage, revision);
    return await requestPromotion({ pipeline, stage, target }, flags, session.client);
  });
  if (flags.output === "json") return print(JSON.stringify(made, undefined, 2));
  for (const line of said) print(printable(line));
}

/** Creates a Promotion as the user. Returns it, and the lines to print. */
export async function requestPromotion(
  {
    pipeline,
    stage,
    target,
  }: { readonly pipeline: PipelineObject; readonly stage: string; readonly target: RequestedTarget },
  {
    bypass,
    hold,
    reason,
    dryRun = false,
    ...cluster
  }: Omit<PromoteFlags, "hold" | "dryRun"> & { readonly hold?: boolean; readonly dryRun?: boolean },
  client: ApiClient,
): Promise<{ readonly made: StoredObject; readonly said: readonly string[] }> {
  const { name, namespace } = pipeline.metadata;
  const { username } = await readCaller(client);
  const spec: PromotionSpec = {
    pipeline: name,
    stage,
    ...target,
    by: username,
    ...(reason !== undefined && { reason }),
    ...(hold === true && { hold }),
    ...(bypass !== undefined && { bypass: [...bypass] }),
  };
  const metadata = { namespace, generateName: `${dnsSubdomain(`${name}-${stage}`)}-` };
  const made = await client.create(Promotion, { metadata, spec }, { dryRun });
  const title = `stage ${stage} of Pipeline ${labelOfPipeline(pipeline)}`;
  const to = `${title} to commit ${shortCommit(target.revision)}`;
  const skips = bypass === undefined ? "" : `, without ${bypass.join(", ")}`;
  if (dryRun) return { made, said: [`Would create a Promotion of ${to}${skips}`] };
  const promotion = made.metadata.name;
  const release = kubectlLine(["delete", "promotion", promotion, "-n", namespace], cluster);
  const held = `The stage is held at this commit. To end the hold: ${release}`;
  return {
    made,
    said: [`Promotion ${promotion} created: ${to}${skips}`, ...(hold === true ? [held] : [])],
  };
}

export interface StageRollbackFlags {
  readonly unpin?: true;
  readonly wait?: true;
  readonly bypass?: readonly Bypass[];
  readonly reason?: string;
}

/**
 * `fairlead rollback NAME --stage STAGE`: requests the previous passed digest of the stage. @throws Error with a message
 * for users.
 */
export async function runStageRollback(
  {
    name,
    stage,
    revision,
  }: { readonly name: string; readonly stage: string; readonly revision: string | undefined },
  flags: ReleaseFlags & StageRollbackFlags,
  { print }: Pick<Screen, "print">,
): Promise<void> {
  if (flags.unpin === true || flags.wait === true)
    throw new Error("Cannot roll back a stage: --stage cannot be used with --unpin or --wait");
  const { bypass, reason = "rolled back" } = flags;
  if (bypass !== undefined && flags.reason === undefined)
    throw new Error("Cannot roll back: --bypass needs --reason");
  const { made, said } = await withReleases(flags, async (session) => {
    const { client } = session;
    const pipeline = await findPipeline(name, session);
    const { namespace } = pipeline.metadata;
    const target = chooseRollback(pipeline, stage, {
      promotions: await client.list(Promotion, { namespace }),
      revision,
    });
    const how = { ...flags, hold: true, reason };
    return await requestPromotion({ pipeline, stage, target }, how, client);
  });
  if (flags.output === "json") return print(JSON.stringify(made, undefined, 2));
  for (const line of said) print(printable(line));
}
