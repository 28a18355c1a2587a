import { Approval } from "../../../crds/approval.ts";
import { Freeze } from "../../../crds/freeze.ts";
import type { LiveObject } from "../../../crds/object.ts";
import { Pipeline } from "../../../crds/pipeline.ts";
import type { StageStatus } from "../../../crds/pipeline-status.ts";
import { Promotion } from "../../../crds/promotion.ts";
import { DeliveryEngine, type Health } from "./delivery-engine.ts";
import { instantOf, type ReleaseSpec } from "./release-operator.ts";

/** A Pipeline in virtual time, and the actions of its users. */
export class DeliveryWorld extends DeliveryEngine {
  createPipeline(spec: object): void {
    this.create({ kind: Pipeline, name: "shop", spec });
  }

  /** Deletes the Pipeline. The operator removes its fields first; see `fields` in docs/own-kinds.md. */
  deletePipeline(): void {
    for (const { metadata } of this.objects.list("Release")) {
      const { addedFields, ...rest } = this.release(metadata.name);
      if (addedFields === undefined) continue;
      this.change(rest as LiveObject);
      this.editRelease(metadata.name, { revision: undefined, digest: undefined, next: undefined });
    }
    this.remove("Pipeline", "shop");
  }

  editStages(stages: readonly object[]): void {
    this.editPipeline({ stages });
  }

  editPipeline(change: object): void {
    this.change({
      ...this.pipeline,
      spec: Pipeline.spec.parse({ ...this.pipeline.spec, ...change }),
    } as LiveObject);
  }

  editRelease(
    name: string,
    change: { readonly [Field in keyof ReleaseSpec]?: ReleaseSpec[Field] | undefined },
  ): void {
    const { metadata, spec, ...rest } = this.release(name);
    const edited = JSON.parse(JSON.stringify({ ...spec, ...change })) as ReleaseSpec;
    this.change({
      ...rest,
      spec: edited,
      metadata: { ...metadata, generation: (metadata.generation ?? 1) + 1 },
    } as LiveObject);
    this.scheduleRelease(name);
  }

  /** Sets the pin as another field manager, or releases it. */
  pinByHand(name: string, revision: string | undefined, manager = "kubectl"): void {
    if (revision === undefined) this.managers.delete(name);
    else this.managers.set(name, manager);
    const { addedFields: _, ...rest } = this.release(name);
    this.change(rest as LiveObject);
    this.editRelease(name, { revision, digest: undefined });
  }

  push(contents: Readonly<Record<string, string>>): string {
    const id = (this.commits.length + 1).toString(16).padStart(40, "0");
    const changed = Object.fromEntries(
      Object.entries(contents).map(([name, text]) => [`shop/${name}`, text]),
    );
    this.commits.push({ id, contents: { ...this.commits.at(-1)?.contents, ...changed } });
    this.follow(id);
    return id;
  }

  /** Moves the branch to a commit. */
  follow(id: string, tree = `tree-${id}`): void {
    const commit = {
      id,
      author: "Ann",
      subject: `Commit ${id.slice(-4)}`,
      committedAt: instantOf(this.nowMs),
    };
    this.source = { state: "ready", head: commit, changed: commit, isAssumed: false, tree };
    this.dirty.add("Pipeline/shop");
  }

  request(name: string, spec: object): void {
    this.create({ kind: Promotion, name, spec: Promotion.spec.parse({ pipeline: "shop", ...spec }) });
  }

  approve(name: string, spec: object): void {
    this.create({
      kind: Approval,
      name,
      spec: Approval.spec.parse({ pipeline: "shop", by: name, revision: "0".repeat(40), ...spec }),
    });
  }

  freeze(name: string, spec: object = {}): void {
    this.create({ kind: Freeze, name, spec: Freeze.spec.parse({ reason: "holidays", ...spec }) });
  }

  setHealth(name: string, health: Health): void {
    this.health.set(name, health);
    this.scheduleRelease(name);
  }

  setRefusal(name: string, reason: string | undefined): void {
    if (reason === undefined) this.refusals.delete(name);
    else this.refusals.set(name, reason);
    this.scheduleRelease(name);
  }

  upgrade(version: string): void {
    this.version = version;
    for (const { metadata } of this.objects.list("Release")) this.scheduleRelease(metadata.name);
  }

  /** A Release has other inputs: it renders every commit differently. */
  changeInputs(name: string, inputs: string): void {
    this.inputs.set(name, inputs);
    this.scheduleRelease(name);
  }

  stage(name: string): Partial<StageStatus> {
    return this.pipeline.status?.stages?.find((stage) => stage.name === name) ?? {};
  }

  /** Gives the operator another clock. */
  setClock(nowMs: () => number): void {
    this.operator.clock = nowMs;
  }

  /** When the operator requeues a resource next. */
  get nextWakeMs(): number {
    return this.operator.nextWakeMs;
  }
}
