import { Pipeline } from "../../crds/pipeline.ts";
import { readReleasesOf, withLiveProofs } from "../pipeline/live-proof.ts";
import type { PipelineObject } from "../pipeline/pipeline-object.ts";
import type { PromotionObject } from "../pipeline/pipeline-text.ts";
import type { StoredObject } from "../release/api-client.ts";
import type { ReleaseSession } from "../release/release-command.ts";
import { describeMissingRight } from "./missing-rights.ts";
import type { Wait, WhyReport } from "./why-report.ts";
import { type WhyResourceOptions, whyResource } from "./why-resource.ts";

/**
 * Explains a Promotion. While it soaks or deploys the operator writes no status of it, so what it waits for is computed from its
 * Pipeline and its Releases.
 */
export async function whyPromotion(stored: StoredObject, options: WhyResourceOptions): Promise<WhyReport> {
  const report = await whyResource(stored, options);
  const promotion = stored as unknown as PromotionObject;
  const { spec, status } = promotion;
  const isOpen = spec.number !== undefined && (status?.phase ?? "Proving") === "Proving";
  if (!isOpen || stored.metadata.deletionTimestamp !== undefined) return report;
  const { wait, unknown } = await proofOf(stored, options);
  if (wait === undefined) return { ...report, unknown: [...report.unknown, ...unknown] };
  const { kind, metadata } = stored;
  const isNew = status === undefined;
  const title = `${kind} ${metadata.namespace}/${metadata.name} is being proven`;
  const waits = report.waits.filter(({ on }) => on !== "Progressing" && !(isNew && on === "Operator"));
  const next = report.next.filter((line) => !(isNew && line.startsWith(options.commands.operatorLog)));
  return { ...report, ...(isNew && { title }), waits: [wait, ...waits], next };
}

/** The conditions that a Promotion waits for now. Empty if all are met: then the operator has to record the outcome. */
async function proofOf(
  stored: StoredObject,
  {
    session: { client },
    nowMs,
  }: Pick<WhyResourceOptions, "nowMs"> & { readonly session: Pick<ReleaseSession, "client"> },
): Promise<{ readonly wait?: Wait; readonly unknown: readonly string[] }> {
  const promotion = stored as unknown as PromotionObject;
  const { namespace } = stored.metadata;
  try {
    const found = await client.read(Pipeline, { namespace, name: promotion.spec.pipeline });
    if (found === undefined)
      return { unknown: [`What it waits for: there is no Pipeline "${promotion.spec.pipeline}"`] };
    const pipeline = found as PipelineObject;
    const releases = await readReleasesOf(pipeline, client);
    if (releases.length === 0)
      return { unknown: ["What it waits for: no Release of its Pipeline can be read"] };
    const live = withLiveProofs({ pipeline, promotions: [promotion] }, releases, { nowMs });
    const { waiting, until } = live.promotions[0]?.status ?? {};
    const isLive = live.promotions[0] !== promotion && waiting !== undefined;
    return { unknown: [], ...(isLive && { wait: { on: "Proving", message: waiting, until } }) };
  } catch (error) {
    return { unknown: [describeMissingRight(error, "What it waits for")] };
  }
}
