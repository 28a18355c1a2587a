import type { Construct } from "constructs";
import type { BoundKind } from "../../crds/binding.ts";
import type { Condition } from "../../crds/conditions.ts";
import {
  type CustomResource,
  groupKindOf,
  keyOf,
  type LiveObject,
  type ObjectKind,
} from "../../crds/object.ts";
import { kindSteps } from "../../operator/desire/chart/kind-steps.ts";
import { ADDED_INDEX, addedManagersOf } from "../../operator/engine/added-index.ts";
import { LostObjects } from "../../operator/engine/lost.ts";
import { OutageNotices } from "../../operator/engine/outage-notices.ts";
import { Refusals } from "../../operator/engine/refusals.ts";
import { SettledObjects } from "../../operator/engine/settled.ts";
import type { ObjectStore, Publisher, ReconcileResult, Stores } from "../../operator/ports.ts";
import { createReconcile } from "../../operator/reconcile.ts";
import { WatchedStore, type WatchedStoreInput } from "../../operator/runtime/store.ts";
import { idOf, stamps } from "../../synth/manifest.ts";
import { setOf } from "../../synth/stamp.ts";
import { createSynthesizer } from "../../synth/synthesizer.ts";
import { FakeClock } from "./fake-clock.ts";
import { FakeCluster } from "./fake-cluster.ts";
import { aGadgetKind } from "./gadget.ts";
import { RecordingLogger } from "./recording-logger.ts";
import { aResource, type ResourceOptions } from "./resources.ts";

export interface BenchOptions {
  readonly kind?: BoundKind<Construct>;
  readonly publisher?: Publisher;
  /** Id of the place in git that it publishes to. */
  readonly place?: string;
  readonly resource?: ResourceOptions;
}

/** A reconcile with everything around it in memory: what the server has is told to the stores by `deliver`. */
export class ReconcileBench {
  readonly kind: BoundKind<Construct>;
  readonly cluster = new FakeCluster();
  readonly clock = new FakeClock();
  readonly log = new RecordingLogger();
  readonly synthesizer = createSynthesizer();
  readonly events: { readonly type: string; readonly reason: string; readonly note: string }[] = [];
  readonly terminating = new Set<string>();
  readonly lost = new LostObjects();
  /** The reasons of the last run. */
  explain: () => object = () => ({});
  /** What was told for metrics. */
  readonly progress: string[] = [];
  readonly counts = new Map<string, number>();
  /** Wake-ups that runs asked for apart from their result, as `shop/a 1000`. */
  readonly wakeUps: string[] = [];
  readonly #stores = new Map<string, WatchedStore>();
  readonly #reconcile: ReturnType<typeof createReconcile>;
  readonly #key: string;

  constructor({ kind = aGadgetKind(), publisher, place = "here", resource }: BenchOptions = {}) {
    this.kind = kind;
    this.#key = keyOf(aResource(kind, resource));
    this.edit(aResource(kind, resource));
    for (const child of kind.children) {
      this.#add(child, { set: (object) => object.metadata.labels?.[stamps.set] });
    }
    for (const { kind: related, ownerKey } of kind.related) {
      this.#add(related, { [groupKindOf(kind.definition)]: ownerKey, [ADDED_INDEX]: addedManagersOf });
    }
    this.#reconcile = createReconcile(
      kindSteps({
        kind,
        stores: this.stores,
        cluster: this.cluster,
        synthesize: this.synthesizer,
        settled: new SettledObjects(),
        refusals: new Refusals(this.clock),
        lost: this.lost,
        outages: new OutageNotices(),
        progress: {
          live: (key, generation) => void this.progress.push(`live ${key} ${generation}`),
          committed: (key, generation) => void this.progress.push(`committed ${key} ${generation}`),
        },
        count: (did, objects) => this.counts.set(did, (this.counts.get(did) ?? 0) + objects),
        publisher,
        place,
        events: { record: (_, event) => void this.events.push(event) },
        clock: this.clock,
        time: { nowMs: () => this.clock.wallClock().getTime() },
        random: () => 0.5,
        onBlocked: () => undefined,
        wakeLater: (key, afterMs) => void this.wakeUps.push(`${key} ${afterMs}`),
        onNamespaceTerminating: (namespace) => void this.terminating.add(namespace),
      }),
      { clock: this.clock },
    );
  }

  get stores(): Stores {
    const of = (kind: ObjectKind): ObjectStore => this.#store(kind);
    return {
      resources: of,
      children: of,
      related: of,
      isTerminating: (namespace) => this.terminating.has(namespace),
    };
  }

  reconcile(signal = new AbortController().signal): Promise<ReconcileResult> {
    return this.#reconcile(this.#key, {
      signal,
      log: this.log,
      onExplain: (explain) => (this.explain = explain),
    });
  }

  /** Makes or changes the resource, as a user does. */
  edit(resource: CustomResource): void {
    const before = this.cluster.objects.get(idOf(resource));
    const status = before?.["status"];
    this.deliver(this.cluster.put({ ...resource, ...(status === undefined ? {} : { status }) }));
  }

  /** What the watch says of an object of the server; without a label of a set the watch does not see children. */
  deliver(object: LiveObject): void {
    this.#store(kindNamed(object, this.kind)).apply({ type: "MODIFIED", object });
  }

  /** Takes an object off the server, and out of the store by its event. */
  vanish(object: LiveObject): void {
    this.cluster.objects.delete(idOf(object));
    this.#store(kindNamed(object, this.kind)).apply({ type: "DELETED", object });
  }

  get resource(): CustomResource {
    return this.#store(this.kind.definition).get(this.#key) as CustomResource;
  }

  /** A condition of the status that was written, as `True Applied`. */
  condition(type: string): string | undefined {
    const { conditions } = (this.resource.status ?? {}) as { readonly conditions?: readonly Condition[] };
    const found = conditions?.find((condition) => condition.type === type);
    return found && `${found.status} ${found.reason}`;
  }

  /** Requests since the last call. */
  takeRequests(): readonly string[] {
    return this.cluster.requests.splice(0);
  }

  #store(kind: ObjectKind): WatchedStore {
    return (
      this.#stores.get(groupKindOf(kind)) ??
      this.#add(kind, { set: (object) => setOf(this.kind.definition, object) })
    );
  }

  #add(kind: ObjectKind, indexes: WatchedStoreInput["indexes"]): WatchedStore {
    const store = new WatchedStore({ kind, indexes });
    this.#stores.set(groupKindOf(kind), store);
    return store;
  }
}

function kindNamed(object: LiveObject, { definition, children, related }: BoundKind<Construct>): ObjectKind {
  const others = [...children, ...related.map(({ kind }) => kind)];
  return others.find(({ kind }) => kind === object.kind) ?? definition;
}

/** The ConfigMap of this name that the API server has. */
export function childOf(bench: ReconcileBench, name: string): LiveObject {
  const found = [...bench.cluster.objects.values()].find(
    ({ kind, metadata }) => kind === "ConfigMap" && metadata.name === name,
  );
  if (found === undefined) throw new Error(`there is no ConfigMap ${name}`);
  return found;
}
