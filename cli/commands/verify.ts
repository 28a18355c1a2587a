import { join } from "node:path";
import { Command, Option } from "commander";
import { candidateOf } from "../../charts/pipeline/world.ts";
import { Promotion } from "../../crds/promotion.ts";
import { Release } from "../../crds/release.ts";
import { stageDigestOf } from "../../crds/stage-digest.ts";
import { homeOf } from "../../operator/desire/release/comparable-fields.ts";
import { checkTrust, WeakSandboxError } from "../launcher/weak-sandbox.ts";
import { compareStage, type RenderedSet } from "../pipeline/compare-stages.ts";
import {
  deployedDigest,
  type EarlierStage,
  findProof,
  judgeStage,
  type RenderedAgain,
} from "../pipeline/judge-stage.ts";
import { findPipeline, labelOfPipeline, type PipelineObject, stageIn } from "../pipeline/pipeline-object.ts";
import type { PromotionObject } from "../pipeline/pipeline-text.ts";
import { printable } from "../release/columns.ts";
import { renderDigest } from "../release/diff/render-digest.ts";
import {
  addConnectionOptions,
  type ReleaseFlags,
  type ReleaseSession,
  withReleases,
} from "../release/release-command.ts";
import { labelOfRelease, type ReleaseObject } from "../release/release-object.ts";
import { readTimeout } from "./installation-options.ts";
import { type Screen, terminal } from "./screen.ts";

export interface VerifyFlags extends ReleaseFlags {
  readonly source?: string;
  readonly timeout?: string;
  readonly weakSandbox?: boolean;
}

/** `fairlead verify NAME STAGE`: checks whether a stage runs the manifests in git, and which stages have passed them. */
export function verifyCommand(): Command {
  const command = new Command("verify")
    .description(
      "Render again what a stage of a Pipeline runs, and check that it and the earlier stages have passed it, and differ only as declared",
    )
    .argument("<name>", "name of a Pipeline; namespace/name")
    .argument("<stage>", "name of a stage")
    .option("--source <folder>", "use this checkout of the deployed commit instead of the repository")
    .option("--timeout <time>", "how long to wait for the repository, for each Release", "2m")
    .option("--weak-sandbox", "use files from git, or in CI, even if the kernel cannot isolate processes")
    .addOption(new Option("-o, --output <format>", "output for programs").choices(["json"]));
  return addConnectionOptions(command)
    .addHelpText(
      "after",
      `
The digests are computed on this machine, with the code of the operator. Only reads are sent to the API server.

Exits 0 if the stage is proven, 1 if it is not, 2 if the command failed.`,
    )
    .action(async (name: string, stage: string, flags: VerifyFlags) => {
      process.exitCode = await runVerify({ name, stage }, flags, terminal);
    });
}

/** @throws Error with a message for users. */
export async function runVerify(
  { name, stage }: { readonly name: string; readonly stage: string },
  { source: folder, output, weakSandbox = false, timeout, ...flags }: VerifyFlags,
  { print }: Pick<Screen, "print">,
): Promise<number> {
  const timeoutMs = readTimeout(timeout);
  if (folder === "") throw new Error("Cannot verify: --source is empty; expected a folder");
  await checkTrust({ isLocal: folder !== undefined, env: process.env, weakSandbox });
  const { pipeline, proof } = await withReleases(flags, async (session) => {
    const found = await findPipeline(name, session);
    const { formerly } = stageIn(found, stage);
    const names = { stage, formerly };
    const renderer = new StageRenderer(found, { session, folder, timeoutMs, weakSandbox });
    const releases = await renderer.deployed(stage);
    const all = await session.client.list(Promotion, { namespace: found.metadata.namespace });
    const own = all.filter(
      ({ spec }) => (spec as { readonly pipeline?: string }).pipeline === found.metadata.name,
    );
    const promotions = own as unknown as readonly PromotionObject[];
    const digest = deployedDigest(releases);
    const proven = digest === undefined ? undefined : findProof(names, digest, promotions);
    const before = proven === undefined ? [] : await renderer.earlier(stage, proven.spec.revision);
    const comparison = compareStage(found, stage, renderer.rendered);
    const recorded = candidateOf(found.status ?? {}, proven?.spec.revision ?? "")?.releases;
    const judged = {
      ...names,
      before,
      ...(proven && comparison && { comparison }),
      ...(recorded && { recorded }),
    };
    return { pipeline: found, proof: judgeStage(judged, releases, promotions) };
  });
  if (output === "json") print(JSON.stringify({ stage, ...proof }, undefined, 2));
  else {
    for (const { holds, text } of proof.findings) print(printable(`${holds ? "ok    " : "FAILED"} ${text}`));
    const verdict = proof.isProven ? "is proven" : "is not proven";
    print(`Stage ${stage} of Pipeline ${labelOfPipeline(pipeline)} ${verdict}`);
  }
  return proof.isProven ? 0 : 1;
}

interface RendererOptions {
  readonly session: ReleaseSession;
  readonly folder: string | undefined;
  readonly timeoutMs: number;
  readonly weakSandbox: boolean;
}

/** Renders the Releases of stages on this machine. */
class StageRenderer {
  readonly #pipeline: PipelineObject;
  readonly #options: RendererOptions;
  /** The last manifests of the Releases, by `namespace/name`. */
  readonly rendered = new Map<string, RenderedSet>();

  constructor(pipeline: PipelineObject, options: RendererOptions) {
    this.#pipeline = pipeline;
    this.#options = options;
  }

  /** The Releases of a stage, each with its deployed commit. */
  async deployed(stage: string): Promise<readonly RenderedAgain[]> {
    const releases: RenderedAgain[] = [];
    for (const place of this.#placesOf(stage)) {
      const release = await this.#read(place);
      const deployed = release?.status?.deployed;
      const again = release === undefined ? missing : await this.#render(release, deployed?.revision);
      releases.push({ ...place, deployed, ...again });
    }
    return releases;
  }

  /** The stages before a stage, rendered at a commit. */
  async earlier(stage: string, revision: string): Promise<readonly EarlierStage[]> {
    const { stages } = this.#pipeline.spec;
    const index = stages.findIndex(({ name }) => name === stage);
    const names = stages[index]?.after ?? stages.slice(Math.max(0, index - 1), index).map(({ name }) => name);
    const earlier: EarlierStage[] = [];
    for (const name of names) {
      const { formerly } = stageIn(this.#pipeline, name);
      const digests: { name: string; namespace: string; digest: string }[] = [];
      for (const place of this.#placesOf(name)) {
        const release = await this.#read(place);
        const { digest } = release === undefined ? missing : await this.#render(release, revision);
        digests.push({ ...place, digest: digest ?? "" });
      }
      const isWhole = digests.length > 0 && digests.every(({ digest }) => digest !== "");
      earlier.push({ stage: name, formerly, digest: isWhole ? stageDigestOf(digests) : undefined });
    }
    return earlier;
  }

  #placesOf(stage: string): readonly { readonly name: string; readonly namespace: string }[] {
    const { namespace: preset } = this.#pipeline.metadata;
    return stageIn(this.#pipeline, stage).releases.map(({ name, namespace = preset }) => ({
      name,
      namespace,
    }));
  }

  async #read(place: {
    readonly name: string;
    readonly namespace: string;
  }): Promise<ReleaseObject | undefined> {
    return (await this.#options.session.client.read(Release, place)) as ReleaseObject | undefined;
  }

  async #render(
    release: ReleaseObject,
    revision: string | undefined,
  ): Promise<Pick<RenderedAgain, "digest" | "error">> {
    if (revision === undefined) return { digest: undefined, error: "it has not deployed anything" };
    const { folder } = this.#options;
    const inside = folder === undefined ? undefined : join(folder, release.spec.source.path);
    try {
      const digest = await renderDigest(release, {
        ...this.#options,
        folder: inside,
        revision,
        onPrepared: (prepared) =>
          void this.rendered.set(labelOfRelease(release), { prepared, home: homeOf(release) }),
      });
      return { digest, error: undefined };
    } catch (error) {
      if (error instanceof WeakSandboxError) throw error;
      return { digest: undefined, error: error instanceof Error ? error.message : String(error) };
    }
  }
}

const missing = { digest: undefined, error: "it does not exist" };
