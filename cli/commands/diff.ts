import { Command } from "commander";
import { pinOf } from "../../operator/desire/release/pipeline-pin.ts";
import { createShapeOf } from "../../operator/engine/declared-shapes.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import { checkTrust } from "../launcher/weak-sandbox.ts";
import { chooseRevision } from "../release/choose-revision.ts";
import { diffManifests, diffRelease } from "../release/diff/diff-release.ts";
import { filesOfFolder, filesOfText } from "../release/diff/plain-files.ts";
import { type DiffReport, exitCodeOf, formatReport, styleOf } from "../release/diff/report.ts";
import { isFile, readFileArgument } from "../release/file-argument.ts";
import {
  addReleaseOptions,
  type ReleaseFlags,
  type ReleaseSession,
  withReleases,
} from "../release/release-command.ts";
import { readReleases } from "../release/release-file.ts";
import { printError } from "../terminal-text.ts";
import { readTimeout } from "./installation-options.ts";
import { type Screen, terminal } from "./screen.ts";

/** Flags of the command, and the kinds of custom resources whose objects are compared as well. */
export interface DiffInput extends DiffFlags {
  readonly kinds: readonly SynthesizableKind[];
}

export interface DiffFlags extends ReleaseFlags {
  readonly source?: string;
  readonly revision?: string;
  readonly timeout?: string;
  readonly weakSandbox?: boolean;
}

/** `fairlead diff FILE|NAME`: shows the changes that an apply would make in the cluster, without making them. */
export function diffCommand({ kinds }: { readonly kinds: readonly SynthesizableKind[] }): Command {
  const command = new Command("diff")
    .description("Show the changes that a Release or a file of manifests would make in the cluster")
    .argument(
      "<file|name>",
      "a file, - for the standard input, a folder such as ./web, or the name of a Release",
    )
    .option("--source <folder>", "use this folder instead of the folder in the repository")
    .option(
      "--revision <commit>",
      "use this commit instead of the source's ref; also a number of the history",
    )
    .option("--timeout <time>", "how long to wait for the repository", "2m")
    .option("--weak-sandbox", "use files from git, or in CI, even if the kernel cannot isolate processes");
  return addReleaseOptions(command)
    .addHelpText(
      "after",
      `
An argument that ends in .yaml, .yml or .json, begins with . or /, or is - is a file; any other is the name of a Release.
The command sends dry runs to the API server as the user of the kubeconfig. It does not show values of Secrets.

Exits 0 if nothing would change, 1 if something would change, 2 if something would be refused or the command failed.`,
    )
    .action(async (text: string, flags: DiffFlags) => {
      process.exitCode = await runDiff(text, { ...flags, kinds }, terminal);
    });
}

/** @throws Error with a message for users. */
export async function runDiff(
  text: string,
  flags: DiffInput,
  screen: Pick<Screen, "print">,
): Promise<number> {
  const timeoutMs = readTimeout(flags.timeout);
  const { source, weakSandbox = false } = flags;
  // A file may have a Release whose source is in git: it is checked again before that is fetched.
  await checkTrust({ isLocal: isFile(text) || source !== undefined, env: process.env, weakSandbox });
  const reports = await withReleases(flags, (session) => compare(text, { ...flags, timeoutMs }, session));
  if (flags.output === "json") screen.print(JSON.stringify(reports, undefined, 2));
  else {
    for (const report of reports) {
      for (const warning of report.warnings) printError(`Warning: ${warning}`);
      for (const line of formatReport(report)) screen.print(line, styleOf(line));
    }
  }
  return exitCodeOf(reports);
}

async function compare(
  text: string,
  {
    source: folder,
    revision,
    timeoutMs,
    weakSandbox = false,
    kinds: bindings,
  }: DiffInput & { readonly timeoutMs: number },
  session: ReleaseSession,
): Promise<readonly DiffReport[]> {
  if (folder !== undefined && revision !== undefined)
    throw new Error("Cannot compare: use either --source (a folder) or --revision (a commit)");
  const shapeOf = createShapeOf(bindings);
  const options = { session, shapeOf, folder, timeoutMs, weakSandbox };
  if (!isFile(text)) {
    const release = await session.find(text);
    const commit = revision === undefined ? undefined : chooseRevision(release, revision).revision;
    return [await diffRelease(release, { ...options, revision: commit ?? pinOf(release) })];
  }
  const inFolder = text === "-" ? undefined : await filesOfFolder(text);
  if (inFolder !== undefined)
    return [await diffManifests({ title: text, files: inFolder, session, shapeOf, bindings })];
  const { file, contents } = await readFileArgument(text);
  const releases = readReleases(contents, { file, namespace: session.namespace });
  if (releases === undefined) {
    if (folder !== undefined || revision !== undefined)
      throw new Error(`Cannot compare ${file}: it has no Release, but --source and --revision need one`);
    const files = filesOfText(text, contents);
    return [await diffManifests({ title: file, files, session, shapeOf, bindings })];
  }
  if (folder !== undefined && releases.length > 1)
    throw new Error(
      `Cannot compare ${file}: it has several Releases, but --source is the folder of one; use a file with one Release`,
    );
  const reports: DiffReport[] = [];
  for (const release of releases) {
    const commit = revision === undefined ? undefined : chooseRevision(release, revision).revision;
    reports.push(await diffRelease(release, { ...options, revision: commit ?? pinOf(release) }));
  }
  return reports;
}
