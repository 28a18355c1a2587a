import type { Condition } from "../../crds/conditions.ts";
import { type CustomResource, groupKindOf, type LiveObject, type ObjectKind } from "../../crds/object.ts";
import { builtInShapeOf } from "../../operator/engine/kind-shapes.ts";
import { LostObjects } from "../../operator/engine/lost.ts";
import { OutageNotices } from "../../operator/engine/outage-notices.ts";
import { Refusals } from "../../operator/engine/refusals.ts";
import { SettledObjects } from "../../operator/engine/settled.ts";
import type { Announcement } from "../../operator/engine/transitions.ts";
import type { Reconcile, ReconcileResult } from "../../operator/ports.ts";
import { WatchedStore, type WatchedStoreInput } from "../../operator/runtime/store.ts";
import { idOf, stamps } from "../../synth/manifest.ts";
import { FakeClock } from "./fake-clock.ts";
import { FakeCluster } from "./fake-cluster.ts";
import { RecordingLogger } from "./recording-logger.ts";

/**
 * One reconcile with its environment in memory. Releases and kinds share it. `deliver` stores the server's objects. A subclass
 * adds the source of the desired objects, and the steps.
 */
export abstract class Bench<Resource extends CustomResource> {
  readonly cluster = new FakeCluster();
  readonly clock = new FakeClock();
  readonly log = new RecordingLogger();
  readonly events: Announcement[] = [];
  readonly terminating = new Set<string>();
  readonly lost = new LostObjects();
  /** The reasons of the last run. */
  explain: () => object = () => ({});
  /** The calls for metrics. */
  readonly progress: string[] = [];
  readonly counts = new Map<string, number>();
  /** Wake-ups that runs requested in addition to their result, as `shop/a 1000`. */
  readonly wakeUps: string[] = [];
  /** The causes that block resources, as `shop/a /ConfigMap/shop/b`. */
  readonly blocked: string[] = [];
  readonly #stores = new Map<string, { readonly kind: ObjectKind; readonly store: WatchedStore }>();

  /** The default key of the resource. */
  protected abstract readonly key: string;
  protected abstract readonly definition: ObjectKind;
  protected abstract readonly run: Reconcile;

  /** The common input of all steps. */
  protected shared() {
    return {
      cluster: this.cluster,
      settled: new SettledObjects(),
      shapeOf: builtInShapeOf,
      refusals: new Refusals(this.clock),
      lost: this.lost,
      outages: new OutageNotices(),
      progress: {
        live: (key: string, generation: number) => void this.progress.push(`live ${key} ${generation}`),
        committed: (key: string, generation: number) =>
          void this.progress.push(`committed ${key} ${generation}`),
      },
      count: (did: string, objects: number) => this.counts.set(did, (this.counts.get(did) ?? 0) + objects),
      events: { record: (_: unknown, event: Announcement) => void this.events.push(event) },
      clock: this.clock,
      random: () => 0.5,
      onBlocked: (key: string, by: string) => void this.blocked.push(`${key} ${by}`),
      wakeLater: (key: string, afterMs: number) => void this.wakeUps.push(`${key} ${afterMs}`),
      onNamespaceTerminating: (namespace: string) => void this.terminating.add(namespace),
    };
  }

  reconcile(key = this.key, signal = new AbortController().signal): Promise<ReconcileResult> {
    return this.run(key, { signal, log: this.log, onExplain: (explain) => (this.explain = explain) });
  }

  /** Creates or changes a resource like a user. Its status stays. */
  edit(resource: Resource): void {
    const status = this.cluster.objects.get(idOf(resource))?.["status"];
    this.deliver(this.cluster.put({ ...resource, ...(status !== undefined && { status }) }));
  }

  /** Delivers the watch event of an object of the server. The watch matches only children with the label of a set. */
  deliver(object: LiveObject): void {
    this.storeOf(this.kindOf(object)).apply({ type: "MODIFIED", object });
  }

  /** Deletes an object from the server, and from the store with its event. */
  vanish(object: LiveObject): void {
    this.cluster.objects.delete(idOf(object));
    this.storeOf(this.kindOf(object)).apply({ type: "DELETED", object });
  }

  /** The resource in the store. */
  resourceAt(key: string): Resource {
    return this.storeOf(this.definition).get(key) as Resource;
  }

  /** A condition of the written status, as `True Applied`. */
  condition(type: string, key = this.key): string | undefined {
    const status = this.resourceAt(key).status as { readonly conditions?: readonly Condition[] } | undefined;
    const found = status?.conditions?.find((condition) => condition.type === type);
    return found && `${found.status} ${found.reason}`;
  }

  /** An object of the API server. */
  live(kind: string, name: string): LiveObject | undefined {
    return [...this.cluster.objects.values()].find(
      (object) => object.kind === kind && object.metadata.name === name,
    );
  }

  /** Requests since the last call. */
  takeRequests(): readonly string[] {
    return this.cluster.requests.splice(0);
  }

  /** The kind whose store has an object. */
  protected abstract kindOf(object: LiveObject): ObjectKind;

  /** The store of a kind; created at the first call, with these indexes. */
  protected storeOf(kind: ObjectKind, indexes: WatchedStoreInput["indexes"] = bySet): WatchedStore {
    const make = () => ({ kind, store: new WatchedStore({ kind, indexes }) });
    return this.#stores.getOrInsertComputed(groupKindOf(kind), make).store;
  }

  /** All stores except that of the resources. */
  protected objectStores(): readonly { readonly kind: ObjectKind; readonly store: WatchedStore }[] {
    const { definition } = this;
    return [...this.#stores.values()].filter(({ kind }) => groupKindOf(kind) !== groupKindOf(definition));
  }
}

const bySet: WatchedStoreInput["indexes"] = { set: ({ metadata }) => metadata.labels?.[stamps.set] };
