import { type LiveObject, namespaceIn, type ObjectKind } from "../../crds/object.ts";
import type { ObjectStore } from "../ports.ts";

interface Part {
  readonly namespace: string | undefined;
  readonly store: ObjectStore;
}

/** Several namespaces' stores of one kind, read as one. */
export class UnionStore implements ObjectStore {
  readonly kind: ObjectKind;
  readonly #parts: ReadonlyMap<string, ObjectStore>;

  private constructor(kind: ObjectKind, parts: ReadonlyMap<string, ObjectStore>) {
    this.kind = kind;
    this.#parts = parts;
  }

  /** One store for all namespaces is returned unchanged; a union is created only for several. */
  static of(parts: readonly Part[]): ObjectStore {
    const [first] = parts;
    if (first === undefined) throw new Error("Cannot unite stores: there are none");
    if (parts.length === 1) return first.store;
    return new UnionStore(
      first.store.kind,
      new Map(parts.map(({ namespace, store }) => [namespace ?? "", store])),
    );
  }

  get hasSynced(): boolean {
    return this.#parts.values().every(({ hasSynced }) => hasSynced);
  }

  get(key: string): LiveObject | undefined {
    return this.#partOf(key)?.get(key);
  }

  *list(): Iterable<LiveObject> {
    for (const part of this.#parts.values()) yield* part.list();
  }

  byIndex(index: string, value: string): readonly LiveObject[] {
    const found = this.#parts.values().map((part) => part.byIndex(index, value));
    return found.toArray().flat();
  }

  written(object: LiveObject): void {
    this.#parts.get(object.metadata.namespace ?? "")?.written(object);
  }

  removed(key: string, uid: string): void {
    this.#partOf(key)?.removed(key, uid);
  }

  #partOf(key: string): ObjectStore | undefined {
    return this.#parts.get(namespaceIn(key));
  }
}
