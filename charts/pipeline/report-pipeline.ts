import type { OwnCondition } from "../../crds/binding.ts";
import type { KindContext, Verdict } from "../../crds/kind-context.ts";
import type { SourceContext } from "../../crds/kind-source.ts";
import type { Observed } from "../../crds/observed.ts";
import type { PipelineRecord, PipelineResource } from "../../crds/pipeline.ts";
import type { StageStatus } from "../../crds/pipeline-status.ts";
import { shortId } from "../../crds/short-id.ts";
import { decideStage, type StageDecision } from "./decide-stage.ts";
import { describeFullRecord } from "./plan-candidates.ts";
import { describeStrangers } from "./release-problems.ts";
import { later } from "./release-state.ts";
import { isBriefReport } from "./report-news.ts";
import { reportStage } from "./report-stage.ts";
import { readStagesIfValid } from "./shape.ts";
import { isNoTime, proofRulesOf } from "./stage-rules.ts";
import { type PipelineWorld, readWorld } from "./world.ts";

/** Type of the condition that lists the closed gates of stages. */
export const WAITING = "Waiting";

type Context = KindContext<Partial<PipelineRecord>> & Partial<SourceContext>;

interface PipelineReport {
  readonly stages?: StageStatus[];
  readonly shortRevision?: string;
  readonly summary?: string;
  readonly conditions: readonly OwnCondition[];
}

/** The status of a Pipeline without its record. Pure. */
export function reportPipeline(
  resource: PipelineResource,
  observed: Observed,
  context?: Context,
): PipelineReport {
  const world = worldOf(resource, observed, context);
  const revision = context?.record.head?.revision;
  const shown = revision === undefined ? {} : { shortRevision: shortId(revision) };
  if (world === undefined) return { ...shown, conditions: [] };
  const stages = reportStages(decideStages(world), world, resource);
  return {
    ...shown,
    stages: [...stages],
    summary: stages.map(summarize).join(", "),
    conditions: waitingOf(stages),
  };
}

function decideStages(world: PipelineWorld): readonly StageDecision[] {
  return world.stages.map((stage) => decideStage(stage, world));
}

function reportStages(
  decisions: readonly StageDecision[],
  world: PipelineWorld,
  { status }: PipelineResource,
): readonly StageStatus[] {
  return decisions.map((decision) => {
    const before = status?.stages?.find(({ name }) => name === decision.stage.name);
    return reportStage(decision, world, before);
  });
}

function worldOf(
  resource: PipelineResource,
  observed: Observed,
  context: Context | undefined,
): PipelineWorld | undefined {
  const { namespace = "" } = resource.metadata;
  // The status is also computed for Pipelines that are not valid.
  if (context === undefined || readStagesIfValid(resource.spec, { namespace }) === undefined)
    return undefined;
  const { record, clock, source } = context;
  return readWorld({ resource, observed, record, clock, source });
}

/** `prod Waiting 6f1c2a9d03b0 (Approvals)`. */
function summarize({ name, phase, promotion, next, waiting = [] }: StageStatus): string {
  const revision = next?.revision ?? promotion?.revision;
  const gates =
    phase === "Waiting" && waiting.length > 0 ? ` (${waiting.map(({ gate }) => gate).join(", ")})` : "";
  return [name, phase, ...(revision === undefined ? [] : [shortId(revision)])].join(" ") + gates;
}

function waitingOf(stages: readonly StageStatus[]): readonly OwnCondition[] {
  const texts = stages.flatMap(({ name, waiting = [] }) =>
    waiting.map(
      ({ gate, message, until }) =>
        `${name}: ${gate}: ${message}${until === undefined ? "" : ` (until ${until})`}`,
    ),
  );
  const [first] = stages.flatMap(({ waiting = [] }) => waiting);
  if (first === undefined) return [];
  return [{ type: WAITING, status: "True", reason: first.gate, message: texts.join("\n") }];
}

/** The health of a Pipeline: that of its worst stage. A stage that waits for a gate is healthy. Pure. */
export function judgePipeline({
  resource,
  observed,
  record,
  clock,
  source,
}: KindContext<PipelineRecord> &
  SourceContext & { readonly resource: PipelineResource; readonly observed: Observed }): Verdict | undefined {
  const world = worldOf(resource, observed, { record, clock, source });
  if (world === undefined) return undefined;
  const decisions = decideStages(world);
  const stages = reportStages(decisions, world, resource);
  if (source?.state === "failed") return { status: "Failed", message: `source: ${source.message}` };
  const failed = stages.filter(
    ({ phase, promotion }) =>
      promotion !== undefined && isFailed(world, promotion.name) && phase !== "Proving",
  );
  const strangers = describeStrangers(world);
  const full = describeFullRecord(world);
  const problems = [
    ...(full === undefined ? [] : [full]),
    ...stages.flatMap(({ name, problems: own = [] }) => own.map((text) => `${name}: ${text}`)),
    ...strangers.near,
  ];
  const texts = [
    ...failed.map(
      ({ name, promotion }) =>
        `${name} failed with ${shortId(promotion?.revision ?? "")}: ${promotion?.message ?? ""}`,
    ),
    ...problems,
  ];
  if (texts.length > 0) {
    const isIncomplete = ({ problems }: StageStatus, index: number): boolean =>
      problems === undefined || isReleaseMissing(world, index);
    const isOnlyIncomplete =
      failed.length + strangers.near.length === 0 && full === undefined && stages.every(isIncomplete);
    const isBeingCreated = isOnlyIncomplete && !isSettled(resource, world);
    return { status: isBeingCreated ? "InProgress" : "Failed", message: texts.join("; ") };
  }
  const proving = new Set(stages.flatMap(({ name, phase }) => (phase === "Proving" ? [name] : [])));
  if (proving.size > 0) {
    // Leave out the progress of each Release: it changes more often, and is in the status of the Release.
    const message = decisions
      .filter(({ stage }) => proving.has(stage.name))
      .map(describeProving)
      .join("; ");
    const isBrief = isBriefReport({ stages, message }, resource, world);
    return { status: "InProgress", message, ...(isBrief && { isBrief }) };
  }
  if (resource.spec.suspend)
    return { status: "Suspended", message: "spec.suspend is true: no candidate is started" };
  // Otherwise `kubectl wait --for=condition=Ready` would return before anything is deployed.
  if (stages.every(({ phase }) => phase === "Idle"))
    return { status: "InProgress", message: describeFirst(world) };
  const waiting = stages.flatMap(({ name, waiting: gates = [] }) =>
    gates.map(({ gate, message }) => `${name}: ${gate}: ${message}`),
  );
  const message = waiting.length > 0 ? `waiting: ${waiting.join("; ")}` : stages.map(summarize).join(", ");
  return { status: "Current", message: [message, ...strangers.far].join("; ") };
}

/** Time in which all objects are created that were applied together with a Pipeline. */
const creation = "5s";

/** Whether the Releases of a new Pipeline should exist by now. */
function isSettled({ metadata }: PipelineResource, { clock }: PipelineWorld): boolean {
  const { creationTimestamp } = metadata;
  return creationTimestamp === undefined || clock.reached(later(String(creationTimestamp), creation));
}

/** Whether a Release of a stage does not exist. Not decided by the list of problems, which has a limited length. */
function isReleaseMissing({ stages, releases }: PipelineWorld, index: number): boolean {
  return stages[index]?.keys.some((key) => !releases.has(key)) === true;
}

/** What a Pipeline does before its first stage starts. */
function describeFirst({ record: { head } }: PipelineWorld): string {
  if (head === undefined) return "waiting for the first commit of the source";
  return `planning ${shortId(head.revision)} for all stages`;
}

/** `dev proves 6f1c2a9d03b0 (shop-dev-7): must be healthy for 10m`. The text is the same before and after the creation. */
function describeProving({ stage, start, current }: StageDecision): string {
  const { name, spec } = start ?? current ?? {};
  const { soak, verify } = proofRulesOf(stage, spec ?? {});
  const time = isNoTime(soak) ? "" : ` for ${soak}`;
  const jobs = verify.length === 0 ? "" : ` and pass ${verify.map((one) => `"${one.name}"`).join(", ")}`;
  return `${stage.name} proves ${shortId(spec?.revision ?? "")} (${name}): must be healthy${time}${jobs}`;
}

function isFailed({ promotions }: PipelineWorld, name: string): boolean {
  return promotions.some((promotion) => promotion.name === name && promotion.failedAt !== undefined);
}
