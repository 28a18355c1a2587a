import type { ReleasePin } from "../../../charts/pipeline/decide-pins.ts";
import { isOpen } from "../../../charts/pipeline/promotions.ts";
import {
  Job,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from "../../../crds/core-kinds.ts";
import { instantMs } from "../../../crds/kind-context.ts";
import type { CommitSpan, KindSource, SpanAuthors } from "../../../crds/kind-source.ts";
import type { CustomResource, LiveObject } from "../../../crds/object.ts";
import { Pipeline, type PipelineResource } from "../../../crds/pipeline.ts";
import { Promotion, type PromotionResource, type PromotionSpec } from "../../../crds/promotion.ts";
import { Release } from "../../../crds/release.ts";
import { type Decided, decideFast, decideWithCharts } from "./decider.ts";
import { MemoryObjects } from "./memory-objects.ts";
import { type Commit, instantOf, reconcileRelease, type SimulatedRelease } from "./release-operator.ts";
import { Killed, SimulatedOperator } from "./simulated-operator.ts";

export interface DeliveryWorldOptions {
  readonly stages: readonly object[];
  readonly spec?: object;
  /** Whether to run charts, as the operator does. Default: only their decisions, which is faster. */
  readonly throughCharts?: boolean;
}

export type Health = "Healthy" | "Progressing" | "Failed";

/** Simulates a Pipeline without an API server, in virtual time: objects in memory, Releases that render and deploy, and Jobs. */
export class DeliveryEngine {
  nowMs = Date.parse("2026-01-01T00:00:00Z");
  /** Version of the operator. Another version renders differently. */
  version = "1";
  /** Inputs of Releases that are not in the commit, such as values. */
  readonly inputs = new Map<string, string>();
  readonly versionFor = (release: string): string => `${this.version}${this.inputs.get(release) ?? ""}`;
  /** Duration of a Release's reconcile, and of a Job. */
  releaseMs = 1_000;
  jobMs = 30_000;
  source: KindSource = { state: "pending" };
  authorsOf: (span: CommitSpan) => SpanAuthors = (span) => ({ ...span, state: "pending" });
  readonly objects = new MemoryObjects();
  readonly commits: Commit[] = [];
  readonly writes: string[] = [];
  readonly conflicts: string[] = [];
  readonly health = new Map<string, Health>();
  healthOf = (name: string): Health => this.health.get(name) ?? "Healthy";
  readonly refusals = new Map<string, string>();
  jobOutcome: (promotion: PromotionSpec) => "Complete" | "Failed" | "Pending" = () => "Complete";
  /** Called before each write of the operator; may throw {@link Killed}. */
  onWrite: (what: string) => void = () => {};
  /** Called when the status of a Release has changed. */
  onRelease: (name: string) => void = () => {};
  /** Called when the Pipeline has created a Promotion. */
  onCreate: (promotion: PromotionSpec) => void = () => {};
  protected readonly operator: SimulatedOperator;
  /** Field managers of pins that users have set. */
  readonly managers = new Map<string, string>();
  readonly dirty = new Set<string>();
  #events: { readonly atMs: number; readonly run: () => void }[] = [];

  constructor({ stages, spec = {}, throughCharts = false }: DeliveryWorldOptions) {
    this.operator = new SimulatedOperator(this, throughCharts ? decideWithCharts : decideFast);
    const whole = Pipeline.spec.parse({ source: { url: "https://git.example.dev/shop" }, stages, ...spec });
    this.create({ kind: Pipeline, name: "shop", spec: whole });
    for (const { name, releases } of whole.stages)
      for (const release of releases) this.addRelease(release.name, name);
    this.create({ kind: ValidatingAdmissionPolicy, name: "approvals", spec: { validations: [{}] } });
    const binding = { policyName: "approvals", validationActions: ["Deny"] };
    this.create({ kind: ValidatingAdmissionPolicyBinding, name: "approvals", spec: binding });
  }

  addRelease(name: string, stage: string): void {
    this.create({ kind: Release, name, spec: { source: { ref: { pipeline: "shop", stage } } } });
    this.scheduleRelease(name);
  }

  // Objects

  get pipeline(): PipelineResource {
    return this.objects.find("Pipeline", "shop") as PipelineResource;
  }

  release(name: string): SimulatedRelease {
    return this.objects.find("Release", name) as SimulatedRelease;
  }

  /** The Promotions that the Pipeline created, in order. */
  promotions(stage?: string): readonly PromotionResource[] {
    return (this.objects.list("Promotion") as readonly PromotionResource[])
      .filter(({ spec, ours }) => ours && (stage === undefined || spec.stage === stage))
      .toSorted((a, b) => (a.spec.number ?? 0) - (b.spec.number ?? 0));
  }

  // Time

  at(delayMs: number, run: () => void): void {
    this.#events.push({ atMs: this.nowMs + delayMs, run });
  }

  /** Advances time, and runs all work that is due. */
  run(ms = 0): void {
    const endMs = this.nowMs + ms;
    for (;;) {
      this.#settle();
      const nextMs = Math.min(this.operator.nextWakeMs, ...this.#events.map(({ atMs }) => atMs));
      if (nextMs > endMs) break;
      this.nowMs = Math.max(this.nowMs, nextMs);
      for (const key of this.operator.takeDue(this.nowMs)) this.dirty.add(key);
      const due = this.#events.filter(({ atMs }) => atMs <= this.nowMs);
      this.#events = this.#events.filter(({ atMs }) => atMs > this.nowMs);
      for (const event of due) event.run();
    }
    this.nowMs = endMs;
  }

  /** Restarts the operator, which then has no memory and reads all objects. */
  restart(): void {
    this.operator.forget();
    for (const { kind, metadata } of this.objects.all()) this.dirty.add(`${kind}/${metadata.name}`);
  }

  #settle(): void {
    for (let runs = 0; this.dirty.size > 0; runs++) {
      if (runs > 10_000) throw new Error(`Cannot settle: ${[...this.dirty].join(", ")}`);
      const [key = ""] = this.dirty;
      this.dirty.delete(key);
      try {
        this.operator.reconcile(key);
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        this.restart();
      }
    }
  }

  // The operator

  write(what: string): void {
    this.onWrite(what);
    this.writes.push(`${instantOf(this.nowMs)} ${what}`);
  }

  /** Stores an object, and requeues the resources that read it. The operator's own write does not requeue the resource itself. */
  change(object: LiveObject, { isOwn = false } = {}): void {
    const key = `${object.kind}/${object.metadata.name}`;
    const wasDirty = this.dirty.has(key);
    this.objects.put(object);
    this.touch(object);
    if (isOwn && !wasDirty) this.dirty.delete(key);
  }

  createChild({ kind, name, spec }: Decided["children"][number], owner: CustomResource): void {
    const made = this.create({ kind: kind === "Job" ? Job : Promotion, name, spec, owner });
    if (kind === "Promotion") this.onCreate(spec as PromotionSpec);
    else this.at(this.jobMs, () => this.#finishJob(made.metadata.uid, owner as PromotionResource));
  }

  remove(kind: string, name: string): void {
    const removed = this.objects.remove(kind, name);
    if (removed !== undefined) this.touch(removed);
  }

  /** Server-side apply of a pin: a field of another manager is not changed, and fields that are no longer set are removed. */
  applyPin({ name, revision, digest, next, compare }: ReleasePin): void {
    const {
      addedFields: before,
      metadata,
      spec: { revision: r, digest: d, next: n, ...others },
      ...rest
    } = this.release(name);
    const manager = this.managers.get(name);
    if (manager !== undefined && revision !== undefined && revision !== r) {
      this.conflicts.push(`Release/${name} spec.revision: conflict with "${manager}"`);
      return;
    }
    const set = {
      ...(revision && { revision }),
      ...(digest && { digest }),
      ...(next && { next: { revision: next, ...(compare && { compare }) } }),
    };
    const foreign = manager === undefined ? {} : { ...(r && { revision: r }), ...(d && { digest: d }) };
    const spec = { ...others, ...foreign, ...set };
    if (
      JSON.stringify(spec) ===
      JSON.stringify({ ...others, ...(r && { revision: r }), ...(d && { digest: d }), ...(n && { next: n }) })
    )
      return;
    this.write(`apply Release/${name} ${revision?.slice(-4)} ${next?.slice(-4)}`);
    const fields = Object.fromEntries(Object.keys(set).map((field) => [`f:${field}`, {}]));
    const added = { "fairlead/pipelines.fairlead.dev/shop/shop": { "f:spec": fields } };
    this.change({
      ...{ ...rest, addedFields: added, addedAt: instantOf(this.nowMs) },
      spec,
      metadata: { ...metadata, generation: (metadata.generation ?? 1) + 1 },
    } as LiveObject);
    this.scheduleRelease(name);
  }

  create(made: Parameters<MemoryObjects["create"]>[0]): LiveObject {
    const object = this.objects.create(made, this.nowMs);
    this.touch(object);
    return object;
  }

  touch({ kind, metadata }: LiveObject): void {
    this.dirty.add(`${kind}/${metadata.name}`);
    this.dirty.add("Pipeline/shop");
    for (const one of this.objects.list("Promotion") as readonly PromotionResource[]) {
      const isProving = isOpen(one.status ?? {}) && one.status?.supersededBy === undefined;
      if (isProving && (kind !== "Promotion" || !one.ours)) this.dirty.add(`Promotion/${one.metadata.name}`);
    }
  }

  scheduleRelease(name: string): void {
    this.at(this.releaseMs, () => {
      const release = this.objects.find("Release", name) as SimulatedRelease | undefined;
      if (release === undefined || release.spec.suspend === true) return;
      const status = reconcileRelease(release, {
        nowMs: this.nowMs,
        version: this.versionFor(name),
        commitOf: (revision) => this.commits.findLast(({ id }) => id === revision),
        health: this.healthOf(name),
        refusal: this.refusals.get(name),
      });
      if (JSON.stringify(status) !== JSON.stringify(release.status))
        this.change({ ...release, status } as LiveObject);
      this.onRelease(name);
    });
  }

  #finishJob(uid: string, { spec }: PromotionResource): void {
    const job = this.objects.list("Job").find(({ metadata }) => metadata.uid === uid);
    if (job === undefined) return;
    const outcome = this.jobOutcome(spec);
    const { activeDeadlineSeconds = 0 } = job["spec"] as { readonly activeDeadlineSeconds?: number };
    const leftMs =
      instantMs(job.metadata.creationTimestamp ?? "") + activeDeadlineSeconds * 1_000 - this.nowMs;
    if (outcome === "Pending" && leftMs > 0) {
      this.at(leftMs, () => this.#finishJob(uid, { spec } as PromotionResource));
      return;
    }
    const type = outcome === "Complete" ? "Complete" : "Failed";
    const message = outcome === "Pending" ? "DeadlineExceeded" : `Job is ${type}`;
    const conditions = [{ type, status: "True", message, lastTransitionTime: instantOf(this.nowMs) }];
    this.change({ ...job, status: { conditions } });
  }
}
