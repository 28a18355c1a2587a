import { Command, Option } from "commander";
import { Pipeline } from "../../crds/pipeline.ts";
import { createShapeOf } from "../../operator/engine/declared-shapes.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import { checkTrust } from "../launcher/weak-sandbox.ts";
import { type PipelineFile, readPipelineFile } from "../pipeline/pipeline-file.ts";
import { findPipeline, labelOfPipeline, type PipelineObject } from "../pipeline/pipeline-object.ts";
import { planStages } from "../pipeline/plan-stages.ts";
import { exitCodeOfPlan, formatPlan, markdownOfPlan } from "../pipeline/plan-text.ts";
import { styleOf } from "../release/diff/report.ts";
import { isFile, readFileArgument } from "../release/file-argument.ts";
import {
  addConnectionOptions,
  type ReleaseFlags,
  type ReleaseSession,
  withReleases,
} from "../release/release-command.ts";
import { shortCommit } from "../release/release-object.ts";
import { readTimeout } from "./installation-options.ts";
import { type Screen, terminal } from "./screen.ts";

/** Flags of the command, and the kinds whose schemas are known. */
export interface PlanInput extends PlanFlags {
  readonly kinds: readonly SynthesizableKind[];
}

export interface PlanFlags extends Omit<ReleaseFlags, "output"> {
  readonly source?: string;
  readonly revision?: string;
  readonly timeout?: string;
  readonly weakSandbox?: boolean;
  readonly output?: "json" | "markdown";
}

const fullCommit = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/** `fairlead plan FILE|NAME`: shows the changes that a commit would make in every stage, without making them. */
export function planCommand({ kinds }: { readonly kinds: readonly SynthesizableKind[] }): Command {
  const command = new Command("plan")
    .description(
      "Show what a commit would change in every stage of a Pipeline, and which gates each stage has",
    )
    .argument("<file|name>", "name of a Pipeline; namespace/name; or a file, or - for the standard input")
    .option("--source <folder>", "use this checkout of the repository instead of a commit")
    .option("--revision <commit>", "full id of a commit; default: the newest in the Pipeline's status")
    .option("--timeout <time>", "how long to wait for the repository, for each Release", "2m")
    .option("--weak-sandbox", "use files from git, or in CI, even if the kernel cannot isolate processes")
    .addOption(
      new Option(
        "-o, --output <format>",
        "output for programs, or for the comment of a pull request",
      ).choices(["json", "markdown"]),
    );
  return addConnectionOptions(command)
    .addHelpText(
      "after",
      `
An argument that ends in .yaml, .yml or .json, begins with . or /, or is - is a file with a Pipeline. The Releases
in it are planned instead of those in the cluster, its Namespaces need not exist yet, and other objects are ignored.
The command sends dry runs to the API server as the user of the kubeconfig. It does not show values of Secrets.

Exits 0 if no stage would change, 1 if one would, 2 if something would be refused, cannot be planned, differs
from a stage before without being declared, or the command failed.`,
    )
    .action(async (name: string, flags: PlanFlags) => {
      process.exitCode = await runPlan(name, { ...flags, kinds }, terminal);
    });
}

/** @throws Error with a message for users. */
export async function runPlan(
  name: string,
  { source: folder, revision, output, weakSandbox = false, timeout, kinds, ...flags }: PlanInput,
  { print }: Pick<Screen, "print">,
): Promise<number> {
  const timeoutMs = readTimeout(timeout);
  if (folder === "") throw new Error("Cannot plan: --source is empty; expected a folder");
  if (folder !== undefined && revision !== undefined)
    throw new Error("Cannot plan: use either --source (a folder) or --revision (a commit)");
  await checkTrust({ isLocal: folder !== undefined, env: process.env, weakSandbox });
  const { title, plans } = await withReleases(flags, async (session) => {
    const { pipeline, releases, namespaces: coming } = await readSubject(name, session);
    const shapeOf = createShapeOf(kinds);
    const options = { session, shapeOf, timeoutMs, weakSandbox, releases, coming };
    if (folder !== undefined)
      return {
        title: `Plan of ${folder} for Pipeline ${labelOfPipeline(pipeline)}`,
        plans: await planStages(pipeline, { ...options, folder }),
      };
    const commit = chooseCommit(pipeline, revision);
    return {
      title: `Plan of commit ${shortCommit(commit)} for Pipeline ${labelOfPipeline(pipeline)}`,
      plans: await planStages(pipeline, { ...options, revision: commit }),
    };
  });
  if (output === "json") print(JSON.stringify({ title, stages: plans }, undefined, 2));
  else if (output === "markdown") print(markdownOfPlan(plans, { title }).trimEnd());
  else for (const line of [...formatPlan(plans), title]) print(line, styleOf(line));
  return exitCodeOfPlan(plans);
}

/** Reads a Pipeline from the cluster, or from a file with the status of the one in the cluster. */
async function readSubject(text: string, session: ReleaseSession): Promise<PipelineFile> {
  if (!isFile(text))
    return { pipeline: await findPipeline(text, session), releases: new Map(), namespaces: new Set() };
  const { file, contents } = await readFileArgument(text);
  const read = readPipelineFile(contents, { file, namespace: session.namespace });
  const there = await session.client.read(Pipeline, read.pipeline.metadata);
  const { status } = (there ?? {}) as Partial<PipelineObject>;
  return { ...read, pipeline: { ...read.pipeline, ...(status && { status }) } };
}

/** Finds a commit by its full id, or by a prefix of the id of a commit in the Pipeline's status. */
function chooseCommit({ status, ...pipeline }: PipelineObject, text: string | undefined): string {
  const known = [status?.head, ...(status?.candidates ?? [])].flatMap((commit) => commit?.revision ?? []);
  const label = labelOfPipeline(pipeline);
  if (text === undefined) {
    const [head] = known;
    if (head === undefined)
      throw new Error(
        `Cannot plan: Pipeline ${label} has no commit in its status yet; use --revision or --source`,
      );
    return head;
  }
  if (fullCommit.test(text)) return text;
  const found = new Set(known.filter((revision) => revision.startsWith(text)));
  const [only, ...others] = found;
  if (only === undefined || text.length < 4)
    throw new Error(`Cannot plan: Pipeline ${label} has no commit "${text}" in its status; use the full id`);
  if (others.length > 0) throw new Error(`Cannot plan: "${text}" is not unique; use the full id`);
  return only;
}
