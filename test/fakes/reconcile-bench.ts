import type { Construct } from "constructs";
import type { BoundKind } from "../../crds/binding.ts";
import {
  type CustomResource,
  groupKindOf,
  keyOf,
  type LiveObject,
  type ObjectKind,
} from "../../crds/object.ts";
import type { KindSources } from "../../operator/desire/chart/follow-source.ts";
import { kindSteps } from "../../operator/desire/chart/kind-steps.ts";
import type { KindMemory } from "../../operator/desire/chart/time-health.ts";
import { ADDED_INDEX, addedManagersOf } from "../../operator/engine/added-index.ts";
import { createShapeOf } from "../../operator/engine/declared-shapes.ts";
import type { OnStatus } from "../../operator/engine/report.ts";
import type { TimeSource } from "../../operator/engine/run-clock.ts";
import { RunMemory } from "../../operator/engine/run-memory.ts";
import type { Clock, ObjectStore, Publisher, Reconcile, Stores } from "../../operator/ports.ts";
import { createReconcile } from "../../operator/reconcile.ts";
import { setOf } from "../../synth/stamp.ts";
import { createSynthesizer } from "../../synth/synthesizer.ts";
import { Bench } from "./bench.ts";
import { aGadgetKind } from "./gadget.ts";
import { aResource, type ResourceOptions } from "./resources.ts";

export interface BenchOptions {
  readonly kind?: BoundKind<Construct>;
  readonly publisher?: Publisher;
  /** Id of the location in git that it publishes to. */
  readonly place?: string;
  readonly resource?: ResourceOptions;
  /** The states of the sources of its resources. */
  readonly sources?: KindSources;
  /** Receives each written status. */
  readonly onStatus?: OnStatus | undefined;
  /** By which instants pass. Default: the wall clock. */
  readonly time?: (clock: Clock) => TimeSource;
}

/** The bench of a kind: a chart creates its desired objects. */
export class ReconcileBench extends Bench<CustomResource> {
  readonly kind: BoundKind<Construct>;
  readonly synthesizer = createSynthesizer();
  protected readonly key: string;
  protected readonly definition: ObjectKind;
  protected readonly run: Reconcile;

  constructor({
    kind = aGadgetKind(),
    publisher,
    place = "here",
    resource,
    sources,
    onStatus,
    time: timeOf,
  }: BenchOptions = {}) {
    super();
    this.kind = kind;
    this.definition = kind.definition;
    this.key = keyOf(aResource(kind, resource));
    // The resources are indexed by their own key, and their children by label.
    this.storeOf(kind.definition, { set: (object) => setOf(kind.definition, object) });
    this.edit(aResource(kind, resource));
    for (const child of kind.children) this.storeOf(child);
    for (const { kind: related, ownerKey } of kind.related)
      this.storeOf(related, { [groupKindOf(kind.definition)]: ownerKey, [ADDED_INDEX]: addedManagersOf });
    const time = timeOf?.(this.clock) ?? { nowMs: () => this.clock.wallClock().getTime() };
    const parts = {
      ...this.shared(),
      ...{ kind, publisher, place, time, stores: this.stores, sources, onStatus },
      shapeOf: createShapeOf([kind]),
    };
    const steps = kindSteps({ ...parts, synthesize: this.synthesizer });
    const memory = kind.policy.timeout && new RunMemory<KindMemory>();
    this.run = createReconcile(steps, { clock: this.clock, ...(memory && { memory }) });
  }

  get stores(): Stores {
    const of = (kind: ObjectKind): ObjectStore => this.storeOf(kind);
    return {
      resources: of,
      children: of,
      related: of,
      isTerminating: (namespace) => this.terminating.has(namespace),
    };
  }

  get resource(): CustomResource {
    return this.resourceAt(this.key);
  }

  protected kindOf(object: LiveObject): ObjectKind {
    const { definition, children, related } = this.kind;
    const others = [...children, ...related.map(({ kind }) => kind)];
    return others.find(({ kind }) => kind === object.kind) ?? definition;
  }
}

/** The ConfigMap with this name on the API server. */
export function childOf(bench: ReconcileBench, name: string): LiveObject {
  const found = bench.live("ConfigMap", name);
  if (found === undefined) throw new Error(`there is no ConfigMap ${name}`);
  return found;
}
