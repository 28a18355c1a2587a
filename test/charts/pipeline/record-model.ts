import { hash } from "node:crypto";
import { decideStage } from "../../../charts/pipeline/decide-stage.ts";
import { foldPipeline } from "../../../charts/pipeline/fold-pipeline.ts";
import { commitToPlan } from "../../../charts/pipeline/plan-candidates.ts";
import { judgePipeline } from "../../../charts/pipeline/report-pipeline.ts";
import { planOf, readWorld } from "../../../charts/pipeline/world.ts";
import type { ApprovalSpec } from "../../../crds/approval.ts";
import type { KindSource } from "../../../crds/kind-source.ts";
import type { LiveObject, ObjectKind } from "../../../crds/object.ts";
import { Pipeline, type PipelineRecord, type PipelineResource } from "../../../crds/pipeline.ts";

const clock = { reached: () => true };
export const stageNames = ["dev", "staging", "prod"];
export const revisionOf = (number: number) => number.toString(16).padStart(40, "0");

interface Shape {
  readonly releases: number;
  readonly nameLength: number;
}

/** A Pipeline with three stages whose Releases, Promotions and Approvals change as a test says. */
export class RecordModel {
  readonly releases: readonly { readonly stage: string; readonly name: string }[];
  readonly #resource: PipelineResource;
  readonly #promotions: LiveObject[] = [];
  #approvals: LiveObject[] = [];
  readonly #plans = new Map<string, object>();
  #contents: Readonly<Record<string, string>> = {};
  #commits = 0;
  /** Whether all Releases but those of dev are suspended. */
  isSuspended = false;
  source: KindSource = { state: "pending" };
  record: Partial<PipelineRecord> = {};

  constructor({ releases, nameLength }: Shape) {
    const stages = stageNames.map((name) => ({
      name,
      releases: Array.from({ length: releases }, (_, at) => ({
        name: `${name}-${at}-`.padEnd(nameLength, "x"),
      })),
    }));
    const spec = Pipeline.spec.parse({ source: { url: "https://git.example.dev/shop" }, stages });
    this.#resource = { metadata: { name: "shop", namespace: "shop", uid: "p-1" }, spec } as PipelineResource;
    this.releases = spec.stages.flatMap(({ name: stage, releases: own }) =>
      own.map(({ name }) => ({ stage, name })),
    );
  }

  get #observed() {
    const releases = this.releases.map(({ stage, name }) => ({
      kind: "Release",
      metadata: { name, namespace: "shop", generation: 1 },
      spec: { source: { ref: { pipeline: "shop", stage } }, suspend: this.isSuspended && stage !== "dev" },
      status: { next: this.#plans.get(name) },
    }));
    const objects: Readonly<Record<string, readonly unknown[]>> = {
      Release: releases,
      Promotion: this.#promotions,
      Approval: this.#approvals,
    };
    const list = ({ kind }: ObjectKind) => objects[kind] ?? [];
    return { list, find: () => undefined } as never;
  }

  world(record: Partial<PipelineRecord>) {
    const { source } = this;
    return readWorld({ resource: this.#resource, observed: this.#observed, record, clock, source });
  }

  /** Folds until nothing changes, as the operator does. */
  fold(): void {
    const input = { resource: this.#resource, observed: this.#observed, clock, source: this.source };
    for (let folds = 0; folds < 8; folds++) {
      const record = foldPipeline(this.record, input);
      if (JSON.stringify(record) === JSON.stringify(this.record)) return;
      this.record = record;
    }
    throw new Error("the record is not stable");
  }

  push(stages: readonly string[], text: string): void {
    this.#commits += 1;
    const id = revisionOf(this.#commits);
    const changed = Object.fromEntries(stages.map((stage) => [stage, id]));
    this.#contents = { ...this.#contents, ...changed };
    const commit = { id, author: text, subject: text, committedAt: "2026-01-01T00:00:00Z" };
    this.source = { state: "ready", head: commit, changed: commit, isAssumed: false, tree: id };
  }

  /** The Releases plan what they are asked for, except some, or report an error. */
  plan(share: number, error: string | undefined): void {
    const world = this.world(this.record);
    for (const [at, { stage, name }] of this.releases.entries()) {
      const release = world.releases.get(`shop/${name}`);
      const revision = release && commitToPlan(release, world);
      if (release?.isSuspended !== false || revision === undefined || (at * 7) % 10 >= share) continue;
      const digest = hash("sha256", `${name} ${this.#contents[stage]}`, "hex").slice(0, 32);
      this.#plans.set(name, error !== undefined && at % 3 === 0 ? { revision, error } : { revision, digest });
    }
  }

  #create(spec: object, ours: boolean): void {
    const name = `shop-${this.#promotions.length}`;
    const ownerReferences = ours ? [{ uid: "p-1", controller: true }] : [];
    const creationTimestamp = new Date(Date.UTC(2026, 0, 1) + this.#promotions.length * 1000).toISOString();
    const metadata = { name, namespace: "shop", uid: name, creationTimestamp, ownerReferences };
    this.#promotions.push({ kind: "Promotion", metadata, spec } as unknown as LiveObject);
  }

  start(stage: string): void {
    const world = this.world(this.record);
    const found = world.stages.find(({ name }) => name === stage);
    const { start } = found === undefined ? {} : decideStage(found, world);
    if (start !== undefined) this.#create(start.spec, true);
  }

  finish(stage: string, field: "passedAt" | "failedAt"): void {
    const at = this.#promotions.findLastIndex(
      ({ spec, status }) => (spec as { stage: string }).stage === stage && status === undefined,
    );
    const found = this.#promotions[at];
    if (found !== undefined) this.#promotions[at] = { ...found, status: { [field]: "2026-01-01T00:00:00Z" } };
  }

  approve(stage: string, age: number, decision: string): void {
    const digest = this.#targetOf(stage, age)?.digest;
    const spec = { pipeline: "shop", stage, digest, decision, by: "ann" };
    if (digest !== undefined)
      this.#approvals.push({ kind: "Approval", metadata: { namespace: "shop" }, spec } as never);
  }

  withdrawApprovals(): void {
    this.#approvals = [];
  }

  verdict() {
    const { source, record } = this;
    const context = { resource: this.#resource, observed: this.#observed, clock, source, record };
    return judgePipeline(context as Parameters<typeof judgePipeline>[0]);
  }

  request(stage: string, age: number): void {
    const revision = this.#targetOf(stage, age)?.revision;
    if (revision !== undefined) this.requestCommit(stage, revision);
  }

  requestCommit(stage: string, revision: string): void {
    this.#create({ pipeline: "shop", stage, revision }, false);
  }

  #targetOf(name: string, age: number) {
    const candidate = this.record.candidates?.at(-1 - age);
    const stage = this.world(this.record).stages.find((one) => one.name === name);
    const plan = stage && candidate && planOf(stage, candidate);
    return plan?.state === "known" ? plan : undefined;
  }

  /** Commits that a stage runs, proves, was requested to run, or would run next with a record, or that are approved for it. */
  needed(record: Partial<PipelineRecord>): ReadonlySet<string> {
    const world = this.world(record);
    const found = world.stages.flatMap((stage) => {
      const history = world.histories.get(stage.name);
      const { start, next } = decideStage(stage, world);
      const approved = (record.candidates ?? []).filter((candidate) => {
        const plan = planOf(stage, candidate);
        const isApproved = ({ spec }: LiveObject) =>
          (spec as ApprovalSpec).decision === "Approve" &&
          (spec as ApprovalSpec).stage === stage.name &&
          plan.state === "known" &&
          plan.digest === (spec as ApprovalSpec).digest;
        return candidate.number >= (history?.position ?? 0) && this.#approvals.some(isApproved);
      });
      return [
        ...approved.slice(-10).map(({ revision }) => revision),
        history?.current?.spec.revision,
        history?.openRequest?.spec.revision,
        start?.spec.revision,
        next?.revision,
      ];
    });
    return new Set(found.filter((one) => one !== undefined));
  }
}
