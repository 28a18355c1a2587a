import { Command } from "commander";
import { Approval, type ApprovalSpec } from "../../crds/approval.ts";
import { dnsSubdomain } from "../../crds/names.ts";
import { findPipeline, labelOfPipeline, stageIn } from "../pipeline/pipeline-object.ts";
import { chooseTarget, describeTarget, readChanges } from "../pipeline/stage-target.ts";
import { type Caller, readCaller } from "../pipeline/who-am-i.ts";
import { formatColumns, printable } from "../release/columns.ts";
import { addReleaseOptions, type ReleaseFlags, withReleases } from "../release/release-command.ts";
import { type Screen, terminal } from "./screen.ts";

export interface DecisionFlags extends ReleaseFlags {
  readonly digest?: string;
  readonly reason?: string;
  readonly dryRun?: true;
}

type Decision = ApprovalSpec["decision"];

/** `fairlead approve NAME STAGE`: approves the candidate of a stage. */
export function approveCommand(): Command {
  return commandOf("approve", "Approve what a stage of a Pipeline would run next", "Approve");
}

/** `fairlead reject NAME STAGE`: rejects the candidate for this stage. */
export function rejectCommand(): Command {
  return commandOf(
    "reject",
    "Reject what a stage of a Pipeline would run next, until the Approval is deleted",
    "Reject",
  );
}

function commandOf(verb: string, description: string, decision: Decision): Command {
  const command = new Command(verb)
    .description(description)
    .argument("<pipeline>", "name of a Pipeline; namespace/name")
    .argument("<stage>", "name of a stage")
    .option(
      "--digest <digest>",
      "digest of the stage, or a prefix of it; default: that of the next candidate",
    )
    .option("--reason <text>", "reason, shown to users")
    .option("--dry-run", "show what would change, and create nothing")
    .addHelpText(
      "after",
      `
Needs the verb approve on stages.fairlead.dev "<pipeline>.<stage>", and create on approvals (docs/approvals.md).
Exits 0, or 1 if there is nothing to decide, or on failure.`,
    );
  return addReleaseOptions(command).action((pipeline: string, stage: string, flags: DecisionFlags) =>
    runDecision({ pipeline, stage, decision }, flags, terminal),
  );
}

/** @throws Error with a message for users. */
export async function runDecision(
  {
    pipeline: name,
    stage,
    decision,
  }: { readonly pipeline: string; readonly stage: string; readonly decision: Decision },
  flags: DecisionFlags,
  { print }: Pick<Screen, "print">,
): Promise<void> {
  const isDryRun = flags.dryRun === true;
  const { made, said } = await withReleases(flags, async (session) => {
    const { client } = session;
    const pipeline = await findPipeline(name, session);
    const target = chooseTarget(pipeline, stage, flags.digest);
    const [changes, caller] = await Promise.all([
      readChanges(pipeline, { stage, revision: target.revision }, client),
      readCaller(client),
    ]);
    const { revision, digest } = target;
    const spec: ApprovalSpec = {
      pipeline: pipeline.metadata.name,
      stage,
      revision,
      digest,
      decision,
      by: caller.username,
      ...groupsOf(caller, stageIn(pipeline, stage).enter?.approvals?.groups),
      ...(flags.reason !== undefined && { reason: flags.reason }),
    };
    const object = {
      metadata: {
        namespace: pipeline.metadata.namespace,
        generateName: `${dnsSubdomain(`${pipeline.metadata.name}-${stage}`)}-`,
      },
      spec,
    };
    const approval = await client.create(Approval, object, { dryRun: isDryRun });
    const title = `stage ${stage} of Pipeline ${labelOfPipeline(pipeline)}`;
    const did = decision === "Approve" ? "approves" : "rejects";
    return {
      made: approval,
      said: [
        `${title}: commit ${describeTarget(target)}`,
        `Digest ${digest}`,
        ...formatColumns(changes.map(({ release, text }) => [`  ${release}`, text])),
        ...target.waits.map((wait) => `Waits for ${wait}`),
        ...(target.isRunning ? ["The stage runs this digest, so nothing waits for this decision"] : []),
        isDryRun
          ? `Would create an Approval: ${caller.username} ${did} this digest`
          : `Approval ${approval.metadata.name} created: ${caller.username} ${did} this digest`,
      ],
    };
  });
  if (flags.output === "json") return print(JSON.stringify(made, undefined, 2));
  for (const line of said) print(printable(line));
}

/** The user's groups that the stage requires. The Approval does not publish the user's other groups. */
function groupsOf({ groups }: Caller, wanted: readonly string[] = []): { readonly groups?: string[] } {
  const own = wanted.filter((group) => groups.includes(group));
  return own.length === 0 ? {} : { groups: own };
}
