import { Command } from "commander";
import { Approval, type ApprovalSpec } from "../../crds/approval.ts";
import { stageCommandLine } from "../pipeline/pipeline-command.ts";
import { labelOfPipeline, listPipelines, type PipelineObject } from "../pipeline/pipeline-object.ts";
import { chooseTarget, describeTarget, messageOf } from "../pipeline/stage-target.ts";
import { type Caller, mayOnStage, readCaller } from "../pipeline/who-am-i.ts";
import type { ApiClient, StoredObject } from "../release/api-client.ts";
import { printable } from "../release/columns.ts";
import { addReleaseOptions, type ReleaseFlags, withReleases } from "../release/release-command.ts";
import { type Screen, terminal } from "./screen.ts";

export interface ApprovalsFlags extends ReleaseFlags {
  /** Includes stages that the caller may not approve or has already approved. */
  readonly all?: true;
}

/** A stage that waits for approvals. */
export interface WaitingStage {
  readonly pipeline: string;
  readonly stage: string;
  readonly revision: string;
  readonly digest: string;
  readonly subject?: string;
  readonly author?: string;
  /** The existing approvals, and the required number. */
  readonly message: string;
  /** Whether an Approval of the caller would be admitted and count. */
  readonly isYours: boolean;
  /** The command that approves it. */
  readonly command: string;
}

/** `fairlead approvals`: lists the stages that wait for the caller. */
export function approvalsCommand(): Command {
  const command = new Command("approvals")
    .description(
      "List the stages in all namespaces that wait for your approval, with the commands that approve them",
    )
    .option("--all", "also list stages that you may not approve or have already approved")
    .addHelpText(
      "after",
      `
With --namespace: only one namespace, for users who may not list all Pipelines.
Exits 0, or 1 on failure.`,
    );
  return addReleaseOptions(command).action((flags: ApprovalsFlags) => runApprovals(flags, terminal));
}

/** @throws Error with a message for users. */
export async function runApprovals(flags: ApprovalsFlags, { print }: Pick<Screen, "print">): Promise<void> {
  const { namespace, output, all = false } = flags;
  const found = await withReleases(flags, async ({ client }) => {
    const [pipelines, approvals, caller] = await Promise.all([
      listPipelines(client, { namespace }),
      client.list(Approval, { namespace }),
      readCaller(client),
    ]);
    const waiting = pipelines.flatMap((pipeline) => waitingStages(pipeline, { approvals, caller, flags }));
    return await Promise.all(waiting.map((one) => markYours(one, client)));
  });
  const shown = found.filter(({ isYours }) => all || isYours);
  if (output === "json") return print(JSON.stringify(shown, undefined, 2));
  if (shown.length === 0) {
    const others = found.length === 0 ? "" : `; other stages that wait: ${found.length} (--all lists them)`;
    return print(`No stage waits for your approval${others}`);
  }
  for (const line of shown.flatMap(linesOf)) print(line);
}

interface Candidate {
  readonly shown: Omit<WaitingStage, "isYours">;
  readonly pipeline: PipelineObject;
  /** Whether an Approval of the caller would count, if the API server admits it. */
  readonly mayCount: boolean;
}

interface WaitingInput {
  readonly approvals: readonly StoredObject[];
  readonly caller: Caller;
  readonly flags: Pick<ApprovalsFlags, "kubeconfig" | "context">;
}

/** The stages of a Pipeline that wait for approvals. Pure. */
export function waitingStages(
  pipeline: PipelineObject,
  { approvals, caller, flags }: WaitingInput,
): readonly Candidate[] {
  return (pipeline.status?.stages ?? []).flatMap(
    ({ name: stage, waiting = [], next }): readonly Candidate[] => {
      const gate = waiting.find((one) => one.gate === "Approvals");
      if (gate === undefined || next === undefined) return [];
      const declared = pipeline.spec.stages.find(({ name }) => name === stage);
      if (declared === undefined) return [];
      const { revision, digest, commit } = chooseTarget(pipeline, stage);
      // A rejection counts until it is deleted, regardless of approvals.
      const isDecided = approvals.some(({ metadata, spec }) => {
        const { pipeline: of, stage: at, digest: what, by, decision } = spec as ApprovalSpec;
        const isHere = metadata.namespace === pipeline.metadata.namespace && of === pipeline.metadata.name;
        const isOfDigest = isHere && at === stage && what === digest;
        return isOfDigest && (by === caller.username || decision === "Reject");
      });
      const isAuthor = gate.excluded?.includes(caller.username) === true;
      const { groups = [] } = declared.enter?.approvals ?? {};
      const isMember = groups.length === 0 || groups.some((group) => caller.groups.includes(group));
      const command = stageCommandLine(
        "approve",
        { pipeline, stage, digest },
        { ...flags, env: process.env },
      );
      const shown = {
        pipeline: labelOfPipeline(pipeline),
        stage,
        revision,
        digest,
        ...(commit && { subject: commit.subject, author: commit.author }),
        message: messageOf(gate, next),
        command,
      };
      return [{ shown, pipeline, mayCount: !isDecided && !isAuthor && isMember }];
    },
  );
}

async function markYours(
  { shown, pipeline, mayCount }: Candidate,
  client: Pick<ApiClient, "ask">,
): Promise<WaitingStage> {
  const { name, namespace } = pipeline.metadata;
  const isYours =
    mayCount && (await mayOnStage(client, { namespace, pipeline: name, stage: shown.stage }, "approve"));
  return { ...shown, isYours };
}

function linesOf({ pipeline, stage, message, isYours, command, ...target }: WaitingStage): readonly string[] {
  const { revision, digest, subject, author } = target;
  const commit = subject === undefined || author === undefined ? undefined : { subject, author };
  const what = describeTarget({ revision, commit });
  return [
    printable(`${pipeline} ${stage}: commit ${what}, digest ${digest}; ${message}`),
    `  ${isYours ? command : "you may not approve it, or have already approved it"}`,
  ];
}
