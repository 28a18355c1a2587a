import { Approval } from "../../crds/approval.ts";
import { Freeze } from "../../crds/freeze.ts";
import type { KindClock } from "../../crds/kind-context.ts";
import type { KindSource } from "../../crds/kind-source.ts";
import type { LiveObject } from "../../crds/object.ts";
import type { Observed } from "../../crds/observed.ts";
import type { PipelineRecord, PipelineResource } from "../../crds/pipeline.ts";
import type { Candidate } from "../../crds/pipeline-status.ts";
import { Promotion } from "../../crds/promotion.ts";
import { Release } from "../../crds/release.ts";
import { ReleasePolicy } from "../../crds/release-policy.ts";
import { stageDigestOf } from "../../crds/stage-digest.ts";
import { approvalPolicyGap } from "./approval-policy.ts";
import { type CommitAuthors, readCommitAuthors } from "./commit-authors.ts";
import { type ComparedPair, pairsByRelease } from "./comparisons.ts";
import { type PromotionView, StageHistory, viewPromotion } from "./promotions.ts";
import { type ReleaseView, viewRelease } from "./release-view.ts";
import { excludesAuthors, nameOf, readStages, type Stage } from "./shape.ts";

/** The part of a Pipeline that decisions read. A chart receives only this part. */
export interface PipelineSubject {
  readonly metadata: Pick<PipelineResource["metadata"], "name" | "namespace" | "uid" | "labels">;
  readonly spec: PipelineResource["spec"];
}

/** The complete input of the decisions for a Pipeline. */
export interface PipelineWorld {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: PipelineResource["spec"];
  readonly stages: readonly Stage[];
  /** The Releases that name this Pipeline, by key. */
  readonly releases: ReadonlyMap<string, ReleaseView>;
  readonly promotions: readonly PromotionView[];
  /** Names of all existing Promotions, including those of other Pipelines. */
  readonly takenNames: ReadonlySet<string>;
  /** By name of the stage. */
  readonly histories: ReadonlyMap<string, StageHistory>;
  /** The pairs of Releases that are compared, by key of each Release. */
  readonly pairs: ReadonlyMap<string, readonly ComparedPair[]>;
  readonly approvals: readonly LiveObject[];
  /** Why no Approval counts; undefined: the API server validates them. */
  readonly approvalsRefused: string | undefined;
  /** Empty if no stage excludes authors. */
  readonly authors: CommitAuthors;
  /** The source, with the authors of commits. Undefined: not known at the moment. */
  readonly source: KindSource | undefined;
  readonly freezes: readonly LiveObject[];
  readonly record: Partial<PipelineRecord>;
  readonly clock: KindClock;
  /** Like {@link planOf}; a decision asks for the same plans many times. */
  readonly planOf: typeof planOf;
}

export interface ReadWorldInput {
  readonly resource: PipelineSubject;
  readonly observed: Observed;
  readonly record: Partial<PipelineRecord>;
  readonly clock: KindClock;
  readonly source: KindSource | undefined;
}

/**
 * Reads the input of the decisions for a Pipeline. Pure.
 *
 * @throws RangeError if its stages contradict each other.
 */
export function readWorld({ resource, observed, record, clock, source }: ReadWorldInput): PipelineWorld {
  const { metadata, spec } = resource;
  const { name, namespace = "", uid = "", labels = {} } = metadata;
  const stages = readStages(spec, { namespace });
  const releases = observed.list(Release).map(viewRelease);
  const all = observed.list(Promotion).filter((live) => live.metadata.namespace === namespace);
  const promotions = all
    .filter((live) => live.metadata.deletionTimestamp === undefined)
    .map((live) => viewPromotion(live, { uid }))
    .filter((promotion) => promotion.spec.pipeline === name);
  return {
    name,
    namespace,
    labels,
    spec,
    stages,
    releases: new Map(releases.map((release) => [release.key, release])),
    promotions,
    takenNames: new Set(all.map((live) => live.metadata.name)),
    histories: new Map(stages.map((stage) => [stage.name, new StageHistory(promotions, stage)])),
    pairs: pairsByRelease({ stages, namespace }),
    approvals: observed.list(Approval),
    approvalsRefused: approvalPolicyGap(observed, namespace),
    // Read the authors only if needed, because there may be thousands of users.
    authors: stages.some(excludesAuthors) ? readCommitAuthors(observed.list(ReleasePolicy)) : new Map(),
    source,
    freezes: observed.list(Freeze).filter((freeze) => freeze.metadata.deletionTimestamp === undefined),
    record,
    clock,
    planOf: rememberPlans(),
  };
}

function rememberPlans(): typeof planOf {
  const known = new WeakMap<object, Map<string, PlannedStage>>();
  return (stage, candidate) =>
    known
      .getOrInsertComputed(candidate, () => new Map())
      .getOrInsertComputed(stage.name, () => planOf(stage, candidate));
}

/** The Promotions of a stage. */
export function historyOf(
  { histories }: Pick<PipelineWorld, "histories">,
  stage: Pick<Stage, "name">,
): StageHistory {
  const history = histories.get(stage.name);
  if (history === undefined)
    throw new RangeError(`Cannot read stage "${stage.name}": the Pipeline has no such stage`);
  return history;
}

/** The target of a stage: a commit, and the digests of its Releases. */
export interface StageTarget {
  readonly revision: string;
  /** The digest of the stage. */
  readonly digest: string;
  readonly releases: readonly {
    readonly name: string;
    readonly namespace: string;
    readonly digest: string;
  }[];
}

/** The plan of a commit for a stage, or why it is not known. */
export type PlannedStage =
  | (StageTarget & { readonly state: "known"; readonly mutable: readonly string[] })
  | { readonly state: "failed"; readonly message: string }
  /** Not planned by all Releases of the stage. */
  | { readonly state: "unknown"; readonly missing: readonly string[] };

/** The plan of a candidate for a stage. Pure. */
export function planOf(
  { keys, name }: Stage,
  { revision, releases }: Pick<Candidate, "revision" | "releases">,
): PlannedStage {
  const entries = keys.map((key) => ({ key, entry: releases.find(({ release }) => release === key) }));
  const failed = entries.find(({ entry }) => entry?.error !== undefined);
  if (failed !== undefined)
    return { state: "failed", message: `Release "${failed.key}": ${failed.entry?.error}` };
  const missing = entries.filter(({ entry }) => entry?.digest === undefined).map(({ key }) => key);
  if (keys.length === 0) return { state: "failed", message: `stage "${name}" has no Releases` };
  if (missing.length > 0) return { state: "unknown", missing };
  const digests = entries.map(({ key, entry }) => ({ ...nameOf(key), digest: entry?.digest ?? "" }));
  const mutable = entries.filter(({ entry }) => (entry?.mutableImages ?? 0) > 0).map(({ key }) => key);
  return { state: "known", revision, digest: stageDigestOf(digests), releases: digests, mutable };
}

/** The latest candidate of a commit. Pure. */
export function candidateOf(
  { candidates = [] }: Partial<PipelineRecord>,
  revision: string,
): Candidate | undefined {
  return candidates.findLast((candidate) => candidate.revision === revision);
}
