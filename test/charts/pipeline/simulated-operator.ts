import type { Construct } from "constructs";
import { pipeline as pipelineKind, promotion as promotionKind } from "../../../charts/bindings-delivery.ts";
import type { BoundKind } from "../../../crds/binding.ts";
import { instantMs, type KindClock, type Recorded } from "../../../crds/kind-context.ts";
import type { CustomResource } from "../../../crds/object.ts";
import { foldRecord, recordIn } from "../../../synth/record.ts";
import { isSameJson } from "../../../synth/same-json.ts";
import { SynthesisError } from "../../../synth/synthesis-error.ts";
import type { Decided, Decider } from "./decider.ts";
import type { DeliveryEngine } from "./delivery-engine.ts";

/** The program was killed at a write. */
export class Killed extends Error {}

interface StatusContext {
  readonly clock: KindClock;
  readonly source: unknown;
  readonly record: Recorded;
  readonly refusal?: string | undefined;
}

/** Reconciles Pipelines and Promotions like the operator, with the same order of writes. It stores only the times of requeues. */
export class SimulatedOperator {
  readonly #world: DeliveryEngine;
  readonly #decide: Decider;
  readonly #wakes = new Map<string, number>();
  /** Its clock. */
  clock = (): number => this.#world.nowMs;

  constructor(world: DeliveryEngine, decide: Decider) {
    this.#world = world;
    this.#decide = decide;
  }

  /** The first instant for which a resource waits. */
  get nextWakeMs(): number {
    return Math.min(Number.POSITIVE_INFINITY, ...this.#wakes.values());
  }

  /** Resources whose instant has passed. */
  takeDue(nowMs: number): readonly string[] {
    const due = [...this.#wakes].filter(([, atMs]) => atMs <= nowMs).map(([key]) => key);
    for (const key of due) this.#wakes.delete(key);
    return due;
  }

  forget(): void {
    this.#wakes.clear();
  }

  /** @throws {Killed} if the operator is killed at a write. */
  reconcile(key: string): void {
    const [kindName = "", name = ""] = key.split("/");
    const kind =
      kindName === "Pipeline" ? pipelineKind : kindName === "Promotion" ? promotionKind : undefined;
    const found = this.#world.objects.find(kindName, name) as CustomResource | undefined;
    this.#wakes.delete(key);
    if (kind === undefined || found === undefined) return;
    const clock = this.#clockFor(key);
    const { objects } = this.#world;
    const source = kind.source === undefined ? undefined : this.#world.source;
    const input = { clock, source };
    const folded = foldRecord(kind, { resource: found, observed: objects.observe(found, kind), ...input });
    if (!folded.isStable)
      throw new Error(`The record of ${key} is not stable: ${JSON.stringify(folded.record)}`);
    const { record } = folded;
    let resource = found;
    if (!isSameJson(record, recordIn(kind, found))) {
      // One write has the record and what follows from it.
      resource = this.#writeStatus(found, this.#statusOf(kind, found, { ...input, record }).status);
    }
    const spans = kind.source?.spans?.({
      resource,
      observed: objects.observe(resource, kind),
      clock,
      record,
    });
    if (spans !== undefined && spans.length > 0 && source?.state === "ready")
      input.source = { ...source, spans: spans.map((span) => this.#world.authorsOf(span)) };
    const context = { ...input, record } as never;
    let refusal: string | undefined;
    try {
      const decided = this.#decide({ kind, resource, observed: objects.observe(resource, kind), context });
      this.#apply(decided, resource);
      this.#prune(kind, { resource, decided });
    } catch (error) {
      if (error instanceof Killed || !(error instanceof RangeError || error instanceof SynthesisError))
        throw error;
      refusal = error.message;
    }
    const { status, isBrief } = this.#statusOf(kind, resource, { ...input, record, refusal });
    if (!isBrief && !isSameJson(status, (resource.status ?? {}) as never))
      this.#writeStatus(resource, status);
  }

  /** The whole status, and whether it may change soon. */
  #statusOf(
    kind: BoundKind<Construct>,
    resource: CustomResource,
    { refusal, ...context }: StatusContext,
  ): { readonly status: Record<string, unknown>; readonly isBrief: boolean } {
    const observed = this.#world.objects.observe(resource, kind);
    const own = kind.status(resource, observed, context as never);
    const { isBrief = false, ...verdict } =
      refusal === undefined
        ? (kind.verdict?.({ resource, observed, ...context } as never) ?? { status: "Unknown", message: "" })
        : { status: "SpecInvalid", message: refusal };
    return { status: { ...own, ...context.record, verdict }, isBrief };
  }

  #clockFor(key: string): KindClock {
    return {
      reached: (instant) => {
        const atMs = instantMs(instant);
        if (atMs <= this.clock()) return true;
        this.#wakes.set(key, Math.min(this.#wakes.get(key) ?? Number.POSITIVE_INFINITY, atMs));
        return false;
      },
    };
  }

  #writeStatus(resource: CustomResource, status: object): CustomResource {
    this.#world.write(`status ${resource.kind}/${resource.metadata.name}`);
    const written = { ...resource, status: clean(status) } as CustomResource;
    this.#world.change(written, { isOwn: true });
    return written;
  }

  #apply({ children, pins }: Decided, owner: CustomResource): void {
    for (const child of children) {
      if (this.#world.objects.find(child.kind, child.name) !== undefined) continue;
      this.#world.write(`create ${child.kind}/${child.name}`);
      this.#world.createChild(child, owner);
    }
    for (const pin of pins) this.#world.applyPin(pin);
  }

  #prune(
    kind: BoundKind<Construct>,
    { resource, decided }: { readonly resource: CustomResource; readonly decided: Decided },
  ): void {
    const [rule] = kind.childRules;
    if (rule?.keep === undefined) return;
    const left = this.#world.objects
      .owned(rule.kind.kind, resource)
      .filter(({ metadata }) => !decided.children.some(({ name }) => name === metadata.name))
      .toSorted(
        (a, b) =>
          (a.metadata.creationTimestamp ?? "").localeCompare(b.metadata.creationTimestamp ?? "") ||
          a.metadata.name.localeCompare(b.metadata.name),
      );
    const kept = new Set(rule.keep(resource, left));
    for (const one of left) {
      if (kept.has(one)) continue;
      this.#world.write(`delete ${one.kind}/${one.metadata.name}`);
      this.#world.remove(one.kind, one.metadata.name);
    }
  }
}

function clean(value: object): object {
  return JSON.parse(JSON.stringify(value)) as object;
}
