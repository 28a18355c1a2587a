import { setTimeout as sleep } from "node:timers/promises";
import { Command } from "commander";
import { Promotion } from "../../crds/promotion.ts";
import { readReleasesOf, withLiveProofs } from "../pipeline/live-proof.ts";
import { findPipeline, type PipelineObject } from "../pipeline/pipeline-object.ts";
import { formatPipeline, type PromotionObject } from "../pipeline/pipeline-text.ts";
import { addReleaseOptions, type ReleaseFlags, withReleases } from "../release/release-command.ts";
import { cutToTerminal, type Screen, terminal } from "./screen.ts";

export interface PipelineFlags extends ReleaseFlags {
  readonly watch?: true;
}

/** Polling interval of `--watch`. */
const everyMs = 1_000;

/** `fairlead pipeline NAME`: shows the stages, and the result of each commit in each of them. */
export function pipelineCommand(): Command {
  const command = new Command("pipeline")
    .description("Show the stages of a Pipeline, its commits, and the result of each commit in each stage")
    .argument("<name>", "name of a Pipeline; namespace/name")
    .option("-w, --watch", "keep running, and print the output again after each change")
    .addHelpText("after", "\nExits 0, or 1 on failure.");
  return addReleaseOptions(command).action((name: string, flags: PipelineFlags) =>
    runPipeline(name, flags, terminal),
  );
}

/** @throws Error with a message for users. */
export async function runPipeline(
  name: string,
  { watch, output, ...flags }: PipelineFlags,
  { print }: Pick<Screen, "print">,
  signal?: AbortSignal,
): Promise<void> {
  await withReleases(flags, async ({ client, namespace }) => {
    let shown: string | undefined;
    for (;;) {
      const found = await findPipeline(name, { client, namespace });
      const all = await client.list(Promotion, { namespace: found.metadata.namespace });
      const stored = all.filter(({ spec }) => isOf(spec, found)) as unknown as readonly PromotionObject[];
      const releases = await readReleasesOf(found, client);
      const nowMs = Date.now();
      const delivery = withLiveProofs({ pipeline: found, promotions: stored }, releases, { nowMs });
      const { pipeline, promotions: own } = delivery;
      const state = JSON.stringify([
        pipeline.status,
        own.map(({ metadata, status }) => [metadata.name, status]),
      ]);
      if (state !== shown) {
        if (shown !== undefined) print("");
        const lines =
          output === "json"
            ? [JSON.stringify({ pipeline, promotions: own }, undefined, 2)]
            : formatPipeline(pipeline, own, { nowMs }).map(cutToTerminal);
        for (const line of lines) print(line);
      }
      shown = state;
      if (watch !== true || signal?.aborted === true) return;
      await sleep(everyMs);
    }
  });
}

function isOf(spec: unknown, { metadata }: PipelineObject): boolean {
  return (spec as { readonly pipeline?: string } | undefined)?.pipeline === metadata.name;
}
