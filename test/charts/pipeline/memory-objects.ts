import type { BoundKind } from "../../../crds/binding.ts";
import {
  type CustomResource,
  groupKindOf,
  keyOf,
  type LiveObject,
  type ObjectKind,
} from "../../../crds/object.ts";
import type { Observed } from "../../../crds/observed.ts";
import { instantOf } from "./release-operator.ts";

export interface NewObject {
  readonly kind: ObjectKind;
  readonly name: string;
  readonly spec: object;
  readonly owner?: LiveObject;
  readonly labels?: Readonly<Record<string, string>>;
  readonly status?: object;
}

/** The objects of one namespace as stored by an API server, and the operator's views of them for a kind. */
export class MemoryObjects {
  readonly namespace = "shop";
  readonly #byKind = new Map<string, Map<string, LiveObject>>();
  #uids = 0;
  /** Views that were returned since the last change. */
  #views = new WeakMap<CustomResource, Observed>();

  create({ kind, name, spec, owner, labels, status }: NewObject, nowMs: number): LiveObject {
    const { apiVersion = "", kind: ownerKind = "", metadata } = owner ?? {};
    const reference = metadata && {
      apiVersion,
      kind: ownerKind,
      name: metadata.name,
      uid: metadata.uid,
      controller: true,
    };
    const object: LiveObject = {
      apiVersion: `${kind.group}/${kind.version}`,
      kind: kind.kind,
      metadata: {
        name,
        ...(kind.namespaced && { namespace: this.namespace }),
        uid: `uid-${++this.#uids}`,
        resourceVersion: "1",
        generation: 1,
        creationTimestamp: instantOf(nowMs),
        ...(labels && { labels }),
        ...(reference && { ownerReferences: [reference] }),
      },
      ours: owner !== undefined,
      spec,
      ...(status && { status }),
    };
    this.put(object);
    return object;
  }

  put(object: LiveObject): void {
    this.#views = new WeakMap();
    this.#byKind.getOrInsertComputed(object.kind, () => new Map()).set(object.metadata.name, object);
  }

  /** Deletes an object and its dependents. */
  remove(kind: string, name: string): LiveObject | undefined {
    const found = this.find(kind, name);
    if (found === undefined) return undefined;
    this.#views = new WeakMap();
    this.#byKind.get(kind)?.delete(name);
    for (const child of this.all()) if (isOwnedBy(child, found)) this.remove(child.kind, child.metadata.name);
    return found;
  }

  find(kind: string, name: string): LiveObject | undefined {
    return this.#byKind.get(kind)?.get(name);
  }

  list(kind: string): readonly LiveObject[] {
    return [...(this.#byKind.get(kind)?.values() ?? [])];
  }

  all(): readonly LiveObject[] {
    return [...this.#byKind.values()].flatMap((objects) => [...objects.values()]);
  }

  owned(kind: string, owner: LiveObject): readonly LiveObject[] {
    return this.list(kind).filter((object) => isOwnedBy(object, owner));
  }

  /** The view of a kind: the children of a resource, and the related objects that it seeks. */
  observe(resource: CustomResource, kind: BoundKind): Observed {
    return this.#views.getOrInsertComputed(resource, () => this.#view(resource, kind));
  }

  #view(resource: CustomResource, kind: BoundKind): Observed {
    const known = new Map<ObjectKind, readonly LiveObject[]>();
    const list = (wanted: ObjectKind): readonly LiveObject[] =>
      known.getOrInsertComputed(wanted, () => this.#shown(wanted, resource, kind));
    return { list, find: (wanted, name) => list(wanted).find(({ metadata }) => metadata.name === name) };
  }

  #shown(wanted: ObjectKind, resource: CustomResource, kind: BoundKind): readonly LiveObject[] {
    const related = kind.related.filter((one) => groupKindOf(one.kind) === groupKindOf(wanted));
    const isChild = kind.children.some((child) => groupKindOf(child) === groupKindOf(wanted));
    const sought = related.map(({ ownerKey, soughtKey }) => ({
      ownerKey,
      key: soughtKey === undefined ? keyOf(resource) : soughtKey(resource),
    }));
    return this.list(wanted.kind)
      .filter(
        (object) =>
          (isChild && isOwnedBy(object, resource)) ||
          sought.some(({ ownerKey, key }) => key !== undefined && [ownerKey(object)].flat().includes(key)),
      )
      .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }
}

export function isOwnedBy({ metadata }: LiveObject, owner: LiveObject): boolean {
  return metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) === true;
}
