import { Job } from "../../crds/core-kinds.ts";
import type { KindClock } from "../../crds/kind-context.ts";
import { controllerOf, keyOf, type LiveObject } from "../../crds/object.ts";
import type { Observed } from "../../crds/observed.ts";
import { Pipeline, type PipelineResource } from "../../crds/pipeline.ts";
import {
  Promotion,
  type PromotionRecord,
  type PromotionResource,
  type PromotionSpec,
} from "../../crds/promotion.ts";
import { Release } from "../../crds/release.ts";
import { isOpen } from "./promotions.ts";
import type { Proof } from "./proof.ts";
import { type ReleaseView, viewRelease } from "./release-view.ts";
import { readStagesIfValid, type Stage } from "./shape.ts";
import { proofOfStage } from "./stage-proof.ts";
import { type ProofRules, proofRulesOf } from "./stage-rules.ts";
import { foldVerifications, verificationJobName } from "./verification-jobs.ts";

/** The part of a Promotion that decisions read. A chart receives only this part. */
export interface PromotionSubject {
  readonly metadata: Pick<PromotionResource["metadata"], "name" | "namespace" | "uid">;
  readonly spec: PromotionSpec;
}

interface Seen {
  readonly observed: Observed;
  readonly clock: KindClock;
}

/** Key of the Pipeline of a Promotion. Pure. */
export function pipelineOf({
  metadata,
  spec,
}: {
  readonly metadata: PromotionSubject["metadata"];
  readonly spec?: Partial<PromotionSpec>;
}): string {
  return `${metadata.namespace}/${spec?.pipeline}`;
}

/** The current Pipeline of a Promotion and its stage; undefined: they do not exist. Pure. */
export function stageOfPromotion(
  { metadata, spec }: PromotionSubject,
  observed: Observed,
): { readonly pipeline: PipelineResource; readonly stage: Stage } | undefined {
  const { namespace = "" } = metadata;
  const pipeline = observed.list(Pipeline).find((one) => keyOf(one) === pipelineOf({ metadata, spec })) as
    | PipelineResource
    | undefined;
  const stages = readStagesIfValid(pipeline?.spec, { namespace });
  const stage = stages?.find(({ names }) => names.has(spec?.stage));
  return pipeline === undefined || stage === undefined ? undefined : { pipeline, stage };
}

/** The proof that a Promotion needs, and its progress; undefined: its Pipeline or stage does not exist. Pure. */
export function proofOf(
  subject: PromotionSubject,
  {
    observed,
    clock,
    record,
    createdAt,
  }: Seen & { readonly record: Partial<PromotionRecord>; readonly createdAt: string },
): { readonly rules: ProofRules; readonly proof: Proof } | undefined {
  const found = stageOfPromotion(subject, observed);
  if (found === undefined) return undefined;
  const { stage } = found;
  const { metadata, spec } = subject;
  const { verifications, lateSince } = record;
  const releases = releasesOfStage(stage, observed);
  const promotion = { ...metadata, createdAt, spec, verifications, lateSince };
  const proof = proofOfStage(promotion, { stage, releases, clock });
  return { rules: proofRulesOf(stage, spec), proof };
}

/** The Releases that name a stage, by key. Pure. */
export function releasesOfStage({ names }: Stage, observed: Observed): ReadonlyMap<string, ReleaseView> {
  const views = observed.list(Release).map(viewRelease);
  return new Map(
    views.filter(({ stage }) => stage !== undefined && names.has(stage)).map((view) => [view.key, view]),
  );
}

/** Computes the next record of a Promotion. It does not change after the outcome. Pure. */
export function foldPromotion(
  previous: Partial<PromotionRecord>,
  { resource, observed, clock }: Seen & { readonly resource: PromotionResource },
): PromotionRecord {
  if (!isOpen(previous) || previous.supersededBy !== undefined || resource.spec?.pipeline === undefined)
    return previous;
  if (!isStarted(resource)) return foldRequest(previous, resource, observed);
  const found = stageOfPromotion(resource, observed);
  if (found === undefined) return previous;
  const rules = proofRulesOf(found.stage, resource.spec);
  const jobs = rules.verify.map((verification) => {
    const name = verificationJobName(resource.metadata, verification);
    return { verification, name, live: ownJob(name, resource, observed) };
  });
  const verifications = foldVerifications(previous.verifications, jobs);
  const record = { ...previous, ...(verifications !== undefined && { verifications }) };
  const createdAt = resource.metadata.creationTimestamp ?? "";
  const proof = proofOf(resource, { observed, clock, record, createdAt })?.proof;
  const next = { ...record, ...(proof?.lateSince !== undefined && { lateSince: proof.lateSince }) };
  if (proof?.state === "Passed") return { ...next, passedAt: proof.at };
  if (proof?.state === "Failed")
    return { ...next, failedAt: proof.at, reason: proof.reason, message: proof.message };
  const last = found.pipeline.status?.stages?.find(({ name }) => name === found.stage.name)?.promotion;
  const isSuperseded = last !== undefined && last.number > (resource.spec.number ?? 0);
  return isSuperseded ? { ...next, supersededBy: last.name } : next;
}

/** The Job of a Promotion. A Job of this name with another owner, which a user could create, is ignored. Pure. */
export function ownJob(
  name: string,
  { metadata: { uid } }: PromotionSubject,
  observed: Observed,
): LiveObject | undefined {
  const live = observed.find(Job, name);
  return live !== undefined && controllerOf(live)?.uid === uid ? live : undefined;
}

/** Whether a Promotion was created by its Pipeline; otherwise a user requested it. Pure. */
export function isStarted(resource: LiveObject): boolean {
  return controllerOf(resource)?.kind === Pipeline.kind;
}

/** Computes the next record of a user's request. */
function foldRequest(
  previous: Partial<PromotionRecord>,
  { metadata }: PromotionResource,
  observed: Observed,
): PromotionRecord {
  // The last one: a commit that renders differently after its start is started again.
  const started = (observed.list(Promotion) as readonly PromotionResource[])
    .filter(
      (one) => one.metadata.uid !== metadata.uid && one.spec?.request?.uid === metadata.uid && isStarted(one),
    )
    .toSorted((a, b) => (a.spec.number ?? 0) - (b.spec.number ?? 0))
    .at(-1);
  if (started === undefined) return previous;
  const { passedAt, failedAt, reason, message, supersededBy }: Partial<PromotionRecord> =
    started.status ?? {};
  return {
    ...previous,
    startedAs: started.metadata.name,
    ...(passedAt !== undefined && { passedAt }),
    ...(failedAt !== undefined && { failedAt }),
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
    ...(supersededBy !== undefined && { supersededBy }),
  };
}

/** The key in the index by which a Promotion finds its Pipeline and Releases; undefined after its outcome. Pure. */
export function soughtByPromotion(resource: PromotionResource): string | undefined {
  const status: Partial<PromotionRecord> = resource.status ?? {};
  return isOpen(status) && status.supersededBy === undefined ? pipelineOf(resource) : undefined;
}
