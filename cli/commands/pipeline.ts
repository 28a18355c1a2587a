import { setTimeout as sleep } from "node:timers/promises";
import { Command } from "commander";
import { Promotion } from "../../crds/promotion.ts";
import { ConnectionError } from "../../operator/cluster/connection-error.ts";
import { ApiUnavailableError } from "../../operator/errors.ts";
import { readReleasesOf, withLiveProofs } from "../pipeline/live-proof.ts";
import { findPipeline, type PipelineObject } from "../pipeline/pipeline-object.ts";
import { formatPipeline, type PromotionObject } from "../pipeline/pipeline-text.ts";
import {
  addReleaseOptions,
  type ReleaseFlags,
  type ReleaseSession,
  withReleases,
} from "../release/release-command.ts";
import { printError } from "../terminal-text.ts";
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
  const nextRound = async (): Promise<boolean> => {
    if (signal?.aborted === true) return false;
    await sleep(everyMs);
    return true;
  };
  await withReleases(flags, (session) =>
    showPipeline(name, { ...(watch && { watch }), ...(output && { output }) }, session, {
      print,
      complain: printError,
      nextRound,
    }),
  );
}

interface ShowPipelineOptions extends Pick<Screen, "print"> {
  /** Prints a line that is not part of the result. */
  readonly complain: (line: string) => void;
  /** Waits for the next read. Returns false to stop. */
  readonly nextRound: () => Promise<boolean>;
}

/** Prints a Pipeline. With `watch`, prints it again after each change, even after an outage of the API server. */
export async function showPipeline(
  name: string,
  { watch, output }: Pick<PipelineFlags, "watch" | "output">,
  session: Pick<ReleaseSession, "client" | "namespace">,
  { print, complain, nextRound }: ShowPipelineOptions,
): Promise<void> {
  let shown: string | undefined;
  let isOut = false;
  do {
    try {
      const { pipeline, promotions } = await readPipeline(name, session);
      isOut = false;
      const statuses = promotions.map(({ metadata, status }) => [metadata.name, status]);
      const state = JSON.stringify([pipeline.status, statuses]);
      if (state === shown) continue;
      if (shown !== undefined) print("");
      shown = state;
      const lines =
        output === "json"
          ? [JSON.stringify({ pipeline, promotions }, undefined, 2)]
          : formatPipeline(pipeline, promotions, { nowMs: Date.now() }).map(cutToTerminal);
      for (const line of lines) print(line);
    } catch (error) {
      if (shown === undefined || !isOutage(error)) throw error;
      if (!isOut) complain(`${error.message}; trying again`);
      isOut = true;
    }
  } while (watch === true && (await nextRound()));
}

async function readPipeline(
  name: string,
  session: Pick<ReleaseSession, "client" | "namespace">,
): Promise<{ readonly pipeline: PipelineObject; readonly promotions: readonly PromotionObject[] }> {
  const found = await findPipeline(name, session);
  const all = await session.client.list(Promotion, { namespace: found.metadata.namespace });
  const own: readonly unknown[] = all.filter(({ spec }) => isOf(spec, found));
  const releases = await readReleasesOf(found, session.client);
  const promotions = own as readonly PromotionObject[];
  return withLiveProofs({ pipeline: found, promotions }, releases, { nowMs: Date.now() });
}

/** Whether the connection or the API server caused a failure, and not the request. */
function isOutage(error: unknown): error is Error {
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiUnavailableError && (error.status === 429 || error.status >= 500);
}

function isOf(spec: unknown, { metadata }: PipelineObject): boolean {
  return (spec as { readonly pipeline?: string } | undefined)?.pipeline === metadata.name;
}
