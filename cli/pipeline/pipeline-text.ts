import type { StageStatus } from "../../crds/pipeline-status.ts";
import type { PromotionRecord, PromotionSpec } from "../../crds/promotion.ts";
import { ageOf } from "../release/age-text.ts";
import { formatColumns, printable } from "../release/columns.ts";
import { shortCommit } from "../release/release-object.ts";
import { labelOfPipeline, namesOf, type PipelineObject } from "./pipeline-object.ts";

/** A Promotion as stored by the API server. */
export interface PromotionObject {
  readonly metadata: { readonly name: string; readonly uid?: string; readonly creationTimestamp?: string };
  readonly spec: PromotionSpec;
  readonly status?: {
    readonly verifications?: PromotionRecord["verifications"];
    readonly lateSince?: PromotionRecord["lateSince"];
    readonly phase?: "Requested" | "Proving" | "Passed" | "Failed" | "Superseded";
    readonly waiting?: string;
    readonly until?: string;
  };
}

const mostCommits = 15;
const longestSubject = 40;

/**
 * Formats a Pipeline as text: a table of its stages, and a matrix of its commits and stages. Pure.
 *
 * @param promotions The Promotions of this Pipeline, in any order.
 */
export function formatPipeline(
  pipeline: PipelineObject,
  promotions: readonly PromotionObject[],
  { nowMs }: { readonly nowMs: number },
): readonly string[] {
  const { status } = pipeline;
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const stages = status?.stages ?? [];
  // Leave out the message of `Ready` if the table already contains the same.
  const isInTable = ready?.status === "True" && stages.length > 0;
  const state =
    ready === undefined
      ? "not reconciled yet"
      : isInTable
        ? ready.reason
        : `${ready.reason}: ${ready.message}`;
  return [
    printable(`Pipeline ${labelOfPipeline(pipeline)}: ${state}`),
    ...(stages.length === 0 ? [] : ["", ...formatStages(stages, promotions)]),
    "",
    ...formatCommits(pipeline, promotions, nowMs),
  ];
}

function formatStages(
  stages: readonly StageStatus[],
  promotions: readonly PromotionObject[],
): readonly string[] {
  const rows = stages.map(({ name, phase, running, next, waiting = [], promotion, problems = [] }) => {
    const gates = waiting.map(({ gate, message, until }) => `${gate}: ${message}${untilText(until)}`);
    const proving = promotion?.message ?? provingText(promotions, promotion?.name);
    const says = [
      ...gates,
      ...(phase === "Passed" || phase === "Idle" || proving === "" ? [] : [proving]),
      ...problems,
    ];
    return [name, phase, commitText(running?.revision), commitText(next?.revision), says.join("; ")];
  });
  return formatColumns([["STAGE", "PHASE", "RUNS", "NEXT", "MESSAGE"], ...rows]);
}

/** Why a Promotion has no outcome yet. */
function provingText(promotions: readonly PromotionObject[], name: string | undefined): string {
  const { waiting = "", until } = promotions.find(({ metadata }) => metadata.name === name)?.status ?? {};
  const isNamed = until === undefined || waiting.includes(until);
  return waiting === "" || isNamed ? waiting : `${waiting}${untilText(until)}`;
}

/** The end of a wait, as text. Most messages already contain it. */
function untilText(until: string | undefined): string {
  return until === undefined ? "" : ` (until ${until})`;
}

function commitText(revision: string | undefined): string {
  return revision === undefined ? "none" : shortCommit(revision);
}

interface Commit {
  readonly revision: string;
  readonly subject: string;
  readonly author: string;
  readonly committedAt: string;
}

/** The matrix of the newest candidates: the result of each commit in each stage. */
function formatCommits(
  { status, spec }: PipelineObject,
  promotions: readonly PromotionObject[],
  nowMs: number,
): readonly string[] {
  const names = spec.stages.map(({ name }) => name);
  const candidates = (status?.candidates ?? []).toReversed();
  // After a force push, an earlier commit may be the newest candidate again.
  const commits = candidates.filter(
    ({ revision }, index) => candidates.findIndex((one) => one.revision === revision) === index,
  );
  const { head } = status ?? {};
  const isNew = head !== undefined && !commits.some(({ revision }) => revision === head.revision);
  const known: readonly Commit[] = isNew ? [head, ...commits] : commits;
  const all = [...known, ...forgottenCommits(known, { status, promotions })];
  if (all.length === 0) return ["No commits yet"];
  const outcomes = newestOutcomes(promotions, spec);
  const stages = status?.stages ?? [];
  const rows = all.slice(0, mostCommits).map(({ revision, committedAt, author, subject }) => [
    shortCommit(revision),
    ageOf(committedAt, nowMs),
    ...names.map((name) => {
      const stage = stages.find((one) => one.name === name);
      return cellOf(outcomes.get(`${name}/${revision}`), { stage, revision });
    }),
    subject === "" ? "" : `${shorten(subject)} (${author})`,
  ]);
  const more = all.length - rows.length;
  return [
    ...formatColumns([["COMMIT", "AGE", ...names.map((name) => name.toUpperCase()), "SUBJECT"], ...rows]),
    ...(more > 0 ? [`… and ${more} more`] : []),
  ];
}

/** Commits that stages run but that are no longer in the Pipeline's status. They are shown too. */
function forgottenCommits(
  known: readonly Commit[],
  {
    status,
    promotions,
  }: { readonly status: PipelineObject["status"]; readonly promotions: readonly PromotionObject[] },
): readonly Commit[] {
  const running = new Set((status?.stages ?? []).flatMap((stage) => stage.running?.revision ?? []));
  const missing = [...running].filter((revision) => !known.some((commit) => commit.revision === revision));
  return missing.map((revision) => {
    const promotion = promotions.find(({ spec }) => spec.revision === revision);
    const committedAt = promotion?.metadata.creationTimestamp ?? "";
    return { revision, subject: "", author: "", committedAt };
  });
}

/** The phase of the last attempt, by current name of the stage and commit. */
function newestOutcomes(
  promotions: readonly PromotionObject[],
  { stages }: Pick<PipelineObject["spec"], "stages">,
): ReadonlyMap<string, string> {
  const current = new Map(
    stages.flatMap((stage) => [...namesOf(stage)].map((name) => [name, stage.name] as const)),
  );
  const inOrder = promotions.toSorted((a, b) => (createdOf(a) < createdOf(b) ? -1 : 1));
  return new Map(
    inOrder.map(({ spec, status }) => [
      `${current.get(spec.stage) ?? spec.stage}/${spec.revision}`,
      // A new Promotion that its Pipeline has started has no status yet.
      (status?.phase ?? (spec.number === undefined ? "Requested" : "Proving")).toLowerCase(),
    ]),
  );
}

function createdOf({ metadata, spec }: PromotionObject): string {
  return `${metadata.creationTimestamp ?? ""} ${String(spec.number ?? 0).padStart(10, "0")}`;
}

function cellOf(
  outcome: string | undefined,
  { stage, revision }: { readonly stage: StageStatus | undefined; readonly revision: string },
): string {
  const runs = stage?.running?.revision === revision;
  if (outcome !== undefined) return runs ? `${outcome}, runs` : outcome;
  if (runs) return "runs";
  if (stage?.next?.revision === revision) return stage.waiting === undefined ? "next" : "waits";
  return "-";
}

function shorten(subject: string): string {
  return subject.length <= longestSubject ? subject : `${subject.slice(0, longestSubject - 1)}…`;
}
