import { CustomResourceDefinition } from "../../../crds/core-kinds.ts";
import { apiVersionOf, groupKindOf, keyOf, type LiveObject, type ObjectKind } from "../../../crds/object.ts";
import { idOf, kindIn, type ObjectId, stamps } from "../../../synth/manifest.ts";
import type { OwnedObject } from "../../engine/desired-set.ts";
import { recordedIdsOf } from "../../engine/inventory.ts";
import type { ObjectStore } from "../../ports.ts";
import { Backoff } from "../../runtime/backoff.ts";
import type { KindStores, WatchedKind } from "../../runtime/kind-stores.ts";
import { forOwners, type KeySink } from "../../runtime/routes.ts";
import type { StoreHandler } from "../../runtime/store.ts";
import { prepareWatches, setLabelOf, type WatchesInput } from "../../runtime/watched-kind.ts";
import type { KubeKindCatalog } from "./kind-catalog.ts";
import type { FoundStores } from "./ports.ts";
import { KindObjects } from "./watched-objects.ts";

export interface FoundStoresInput extends Omit<WatchesInput, "missingKindWaitMs"> {
  /** The watches of the kinds that the operator reconciles: what they watch anyway is not watched twice. */
  readonly stores: Pick<KindStores, "watched" | "isTerminating">;
  /** All resources. Index `set`: the id of the set of objects that each owns. */
  readonly releases: ObjectStore;
  /** Where the keys of resources go. */
  readonly queue: KeySink;
  readonly catalog: Pick<KubeKindCatalog, "learn" | "unlearn" | "refresh">;
  /** An object of any set was seen to be gone, of ours that of `owners`; gives keys of resources that waited for that. */
  readonly onObjectGone: (object: LiveObject, owners: readonly string[]) => Iterable<string>;
  /** A watch was begun; for metrics. */
  readonly onWatch?: (watched: readonly WatchedKind[]) => void;
}

/** A kind that was just made is served in a moment; one that is gone may stay so. */
const missingKind = { initialMs: 100, factor: 2, capMs: 10_000, jitter: 0.2, resetAfterMs: 60_000 } as const;
const apiServices = "apiservices.apiregistration.k8s.io";

/** Local copies of what resources own, of any kind, with a watch per kind from when it is first asked for. */
export class KubeFoundStores implements FoundStores {
  readonly #input: FoundStoresInput;
  /** By `apps/v1/deployments`. */
  readonly #kinds = new Map<string, KindObjects>();
  /** By the kind itself, because making the text takes longer than finding it. */
  readonly #byKind = new WeakMap<ObjectKind, KindObjects>();
  /** What a resource has recorded, by its object in the store. */
  readonly #recorded = new WeakMap<LiveObject, ReadonlySet<ObjectId>>();
  /** Watches of ours that do not run yet, before {@link run}. */
  #prepared: WatchedKind[] = [];
  #running: { readonly signal: AbortSignal; readonly watches: Promise<void>[] } | undefined;

  constructor(input: FoundStoresInput) {
    this.#input = input;
  }

  get watched(): readonly ObjectKind[] {
    return [...this.#kinds.values()].map(({ kind }) => kind);
  }

  watch(kind: ObjectKind, key?: string): KindObjects {
    const objects = this.#byKind.getOrInsertComputed(kind, () =>
      this.#kinds.getOrInsertComputed(`${apiVersionOf(kind)}/${kind.plural}`, () => this.#begin(kind)),
    );
    if (key !== undefined) objects.wait(key);
    return objects;
  }

  owned(set: string, recorded: ReadonlySet<ObjectId>): readonly OwnedObject[] {
    // One object may show in several versions or groups.
    const found = new Map<string, OwnedObject>();
    // By what is recorded, not by the label: its cost does not depend on what others have labelled.
    const byKind = Map.groupBy(recorded, kindIn);
    for (const { kind, store } of this.#kinds.values()) {
      if (!store.hasSynced) continue;
      for (const id of byKind.get(`${kind.group}/${kind.kind}`) ?? []) {
        const live = store.get(storeKeyOf(id));
        if (live === undefined || setLabelOf(live) !== set) continue;
        const { uid } = live.metadata;
        if (!found.has(uid)) found.set(uid, { id, kind, live });
      }
    }
    return [...found.values()];
  }

  sees(namespace: string | undefined): boolean {
    const { namespaces } = this.#input;
    return namespaces.length === 0 || namespace === undefined || namespaces.includes(namespace);
  }

  isTerminating(namespace: string): boolean {
    return this.#input.stores.isTerminating(namespace);
  }

  /** A resource is gone: it waits for nothing. */
  forget(key: string): void {
    for (const objects of this.#kinds.values()) objects.forget(key);
  }

  /** Runs all watches, also those that are begun later, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const watches = this.#prepared.map(({ reflector }) => reflector.run(signal));
    this.#prepared = [];
    this.#running = { signal, watches };
    if (!signal.aborted) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    }
    await Promise.all(watches);
  }

  #begin(kind: ObjectKind): KindObjects {
    const shared = this.#input.stores.watched.filter(
      (watched) => watched.role === "child" && isSameKind(watched.kind, kind),
    );
    const parts = shared.length > 0 ? shared : this.#prepare(kind);
    const objects = new KindObjects(kind, parts, {
      wake: (keys) => {
        for (const key of keys) this.#input.queue.add(key);
      },
      ownersOf: (object) => this.#ownersOf(object),
      onServed: () => this.#input.catalog.refresh(),
    });
    for (const handler of this.#handlersOf(kind)) {
      for (const { store } of parts) store.subscribe(handler);
    }
    if (shared.length === 0) this.#start(parts);
    return objects;
  }

  #prepare(kind: ObjectKind): readonly WatchedKind[] {
    const { clock, random, onWatch } = this.#input;
    const wait = new Backoff(missingKind, random);
    const wanted = { role: "child", kind, selector: stamps.set, indexes: { set: setLabelOf } } as const;
    const missingKindWaitMs = () => wait.next(clock.now());
    const parts = prepareWatches(wanted, { ...this.#input, missingKindWaitMs });
    onWatch?.(parts);
    return parts;
  }

  #start(parts: readonly WatchedKind[]): void {
    const running = this.#running;
    if (running === undefined) this.#prepared.push(...parts);
    else running.watches.push(...parts.map(({ reflector }) => reflector.run(running.signal)));
  }

  #handlersOf(kind: ObjectKind): readonly StoreHandler[] {
    const { queue, onObjectGone, catalog } = this.#input;
    const owners = forOwners((object) => this.#ownersOf(object), queue, onObjectGone);
    const groupKind = groupKindOf(kind);
    if (groupKind === apiServices) return [onAnyChange(() => catalog.refresh()), owners];
    if (groupKind !== groupKindOf(CustomResourceDefinition)) return [owners];
    // First the catalog, so that a resource that is woken finds the kind.
    return [
      {
        added: (crd, options) => catalog.learn(crd, options),
        updated: (_, crd) => catalog.learn(crd),
        deleted: (crd) => catalog.unlearn(crd),
      },
      owners,
    ];
  }

  /** resources that have recorded an object, and whose set it is labelled with. */
  #ownersOf(object: LiveObject): readonly string[] {
    const set = setLabelOf(object);
    if (set === undefined) return [];
    const id = idOf(object);
    const releases = this.#input.releases.byIndex("set", set);
    return releases.filter((release) => this.#recordedOf(release).has(id)).map(keyOf);
  }

  #recordedOf(release: LiveObject): ReadonlySet<ObjectId> {
    return this.#recorded.getOrInsertComputed(release, recordedIdsOf);
  }
}

/** `namespace/name`, or `name`: the key in a store of what an id names. */
function storeKeyOf(id: ObjectId): string {
  const [, , namespace = "", ...name] = id.split("/");
  return namespace === "" ? name.join("/") : `${namespace}/${name.join("/")}`;
}

function isSameKind(a: ObjectKind, b: ObjectKind): boolean {
  return groupKindOf(a) === groupKindOf(b) && a.version === b.version;
}

function onAnyChange(tell: () => void): StoreHandler {
  return { added: tell, updated: tell, deleted: tell };
}

/** The local copies of what resources own. Nothing is watched before it is asked for and {@link KubeFoundStores.run} is called. */
export function createFoundStores(input: FoundStoresInput): KubeFoundStores {
  return new KubeFoundStores(input);
}
