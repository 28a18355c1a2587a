import { CustomResourceDefinition } from "../../../crds/core-kinds.ts";
import { apiVersionOf, groupKindOf, keyOf, type LiveObject, type ObjectKind } from "../../../crds/object.ts";
import { idOf, kindIn, type ObjectId } from "../../../synth/manifest.ts";
import type { OwnedObject } from "../../engine/desired-set.ts";
import { recordedIdsOf } from "../../engine/inventory.ts";
import type { Clock, ObjectStore, Random } from "../../ports.ts";
import { Backoff } from "../../runtime/backoff.ts";
import type { KindStores } from "../../runtime/kind-stores.ts";
import { forOwners, type KeySink } from "../../runtime/routes.ts";
import type { StoreHandler } from "../../runtime/store.ts";
import { setLabelOf } from "../../runtime/watched-kind.ts";
import type { KubeKindCatalog } from "./kind-catalog.ts";
import type { FoundStores } from "./ports.ts";
import { KindObjects } from "./watched-objects.ts";

export interface FoundStoresInput {
  readonly stores: Pick<KindStores, "begin" | "isTerminating">;
  /** Namespaces to watch; empty means all. */
  readonly namespaces: readonly string[];
  /** All resources. Index `set`: the id of the set of objects that each owns. */
  readonly resources: ObjectStore;
  /** Requeues the keys of resources. */
  readonly queue: KeySink;
  readonly catalog: Pick<KubeKindCatalog, "learn" | "unlearn" | "refresh">;
  /**
   * An object of any set was deleted; for an object of this operator, of the set of `owners`. Returns keys of resources
   * that waited for that.
   */
  readonly onObjectGone: (object: LiveObject, owners: readonly string[]) => Iterable<string>;
  readonly clock: Clock;
  readonly random: Random;
}

/** A new kind is served after a moment; a removed one may stay absent. */
const missingKind = { initialMs: 100, factor: 2, capMs: 10_000, jitter: 0.2, resetAfterMs: 60_000 } as const;
const apiServices = "apiservices.apiregistration.k8s.io";

/** Objects that resources own by their inventories, of any kind, with one watch per kind, started on first use. */
export class KubeFoundStores implements FoundStores {
  readonly #input: FoundStoresInput;
  /** By `apps/v1/deployments`. */
  readonly #kinds = new Map<string, KindObjects>();
  /** Keyed by the kind itself, because creating the text takes longer than the lookup. */
  readonly #byKind = new WeakMap<ObjectKind, KindObjects>();
  /** Inventory of a resource, by its object in the store. */
  readonly #recorded = new WeakMap<LiveObject, ReadonlySet<ObjectId>>();

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
    // One object may be found in several versions or groups.
    const found = new Map<string, OwnedObject>();
    // By the recorded inventory, not by the label: its cost does not depend on objects that others labelled.
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

  /** A resource was deleted: it waits for nothing. */
  forget(key: string): void {
    for (const objects of this.#kinds.values()) objects.forget(key);
  }

  #begin(kind: ObjectKind): KindObjects {
    const { stores, clock, random } = this.#input;
    const wait = new Backoff(missingKind, random);
    const parts = stores.begin(kind, () => wait.next(clock.now()));
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
    return objects;
  }

  #handlersOf(kind: ObjectKind): readonly StoreHandler[] {
    const { queue, onObjectGone, catalog } = this.#input;
    const owners = forOwners((object) => this.#ownersOf(object), queue, onObjectGone);
    const groupKind = groupKindOf(kind);
    if (groupKind === apiServices) return [onAnyChange(() => catalog.refresh()), owners];
    if (groupKind !== groupKindOf(CustomResourceDefinition)) return [owners];
    // The catalog first, so that a requeued resource finds the kind.
    return [
      {
        added: (crd, options) => catalog.learn(crd, options),
        updated: (_, crd) => catalog.learn(crd),
        deleted: (crd) => catalog.unlearn(crd),
      },
      owners,
    ];
  }

  /** Resources that have recorded an object, and whose set it is labelled with. */
  #ownersOf(object: LiveObject): readonly string[] {
    const set = setLabelOf(object);
    if (set === undefined) return [];
    const id = idOf(object);
    const resources = this.#input.resources.byIndex("set", set);
    return resources.filter((resource) => this.#recordedOf(resource).has(id)).map(keyOf);
  }

  #recordedOf(resource: LiveObject): ReadonlySet<ObjectId> {
    return this.#recorded.getOrInsertComputed(resource, recordedIdsOf);
  }
}

/** `namespace/name`, or `name`: the key of an id in a store. */
function storeKeyOf(id: ObjectId): string {
  const [, , namespace = "", ...name] = id.split("/");
  return namespace === "" ? name.join("/") : `${namespace}/${name.join("/")}`;
}

function onAnyChange(tell: () => void): StoreHandler {
  return { added: tell, updated: tell, deleted: tell };
}
