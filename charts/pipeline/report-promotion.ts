import type { KindContext, Verdict } from "../../crds/kind-context.ts";
import type { Observed } from "../../crds/observed.ts";
import { Pipeline, type PipelineResource } from "../../crds/pipeline.ts";
import type { PromotionRecord, PromotionResource } from "../../crds/promotion.ts";
import { isStarted, proofOf } from "./fold-promotion.ts";
import { isShortWait } from "./report-news.ts";

type Phase = "Requested" | "Proving" | "Passed" | "Failed" | "Superseded";

interface PromotionReport {
  readonly phase: Phase;
  readonly until?: string;
  readonly waiting?: string;
}

/** The status of a Promotion without its record. Pure. */
export function reportPromotion(
  resource: PromotionResource,
  observed: Observed,
  context?: KindContext<Partial<PromotionRecord>>,
): PromotionReport {
  const { record = {} } = context ?? {};
  if (record.passedAt !== undefined) return { phase: "Passed" };
  if (record.failedAt !== undefined) return { phase: "Failed" };
  if (record.supersededBy !== undefined) return { phase: "Superseded" };
  if (!isStarted(resource)) {
    if (record.startedAs !== undefined)
      return { phase: "Proving", waiting: `started as Promotion "${record.startedAs}"` };
    return { phase: "Requested", waiting: whyRequested(resource, observed) };
  }
  if (context === undefined || resource.spec === undefined) return { phase: "Proving" };
  const createdAt = resource.metadata.creationTimestamp ?? "";
  const found = proofOf(resource, { observed, clock: context.clock, record, createdAt });
  if (found === undefined) return { phase: "Proving", waiting: "its Pipeline or stage does not exist" };
  if (found.proof.state !== "Proving") return { phase: "Proving" };
  const { message, until } = found.proof;
  return { phase: "Proving", waiting: message, ...(until !== undefined && { until }) };
}

/** The gates that a request waits for, from the status of its Pipeline. */
function whyRequested({ metadata, spec }: PromotionResource, observed: Observed): string {
  const pipeline = (observed.list(Pipeline) as readonly PipelineResource[]).find(
    (one) => one.metadata.namespace === metadata.namespace && one.metadata.name === spec?.pipeline,
  );
  if (pipeline === undefined) return `Pipeline "${spec?.pipeline}" does not exist`;
  const stage = pipeline.status?.stages?.find(({ name }) => name === spec.stage);
  if (stage === undefined) return `Pipeline "${spec.pipeline}" has no stage "${spec.stage}"`;
  const gates = stage.waiting?.map(({ gate, message }) => `${gate}: ${message}`) ?? [];
  if (gates.length > 0) return gates.join("; ");
  return "the Pipeline has not started it; of several requests for a stage it starts only the newest";
}

/** The health of a Promotion: its result. Pure. */
export function judgePromotion({
  resource,
  observed,
  record,
  clock,
}: KindContext<PromotionRecord> & {
  readonly resource: PromotionResource;
  readonly observed: Observed;
}): Verdict {
  const { phase, waiting, until } = reportPromotion(resource, observed, { record, clock });
  if (phase === "Passed") return { status: "Current", message: `passed at ${record.passedAt}` };
  if (phase === "Failed") return { status: "Failed", message: `${record.reason}: ${record.message}` };
  if (phase === "Superseded")
    return { status: "Suspended", message: `replaced by Promotion "${record.supersededBy}"` };
  const end = until === undefined || waiting?.includes(until) === true ? "" : ` (until ${until})`;
  const isBrief = isStarted(resource) && isQuiet(resource, { observed, record, clock }, waiting);
  return {
    status: "InProgress",
    message: `${waiting ?? "being proven"}${end}`,
    ...(isBrief && { isBrief }),
  };
}

/**
 * Whether to write no status for the reason why a Promotion waits. No status is written for time and verifications, for a
 * Release that has blocked it only for a short time, or if only numbers in the message have changed.
 */
function isQuiet(
  resource: PromotionResource,
  state: Pick<KindContext<PromotionRecord>, "record" | "clock"> & { readonly observed: Observed },
  waiting: string | undefined,
): boolean {
  const createdAt = resource.metadata.creationTimestamp ?? "";
  const proof = proofOf(resource, { ...state, createdAt })?.proof;
  const since = proof === undefined ? createdAt : proof.state === "Proving" ? proof.obstacleSince : undefined;
  const told = resource.status?.waiting;
  if (since === undefined) return told === undefined;
  return isShortWait(since, state.clock) || withoutNumbers(told) === withoutNumbers(waiting);
}

function withoutNumbers(text: string | undefined): string | undefined {
  return text?.replaceAll(/\d+/g, "0");
}
