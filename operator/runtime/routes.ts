import type { DeclaredKind } from "../../crds/binding.ts";
import { controllerOf, groupKindOf, groupOf, keyOf, type LiveObject } from "../../crds/object.ts";
import { stamps } from "../../synth/manifest.ts";
import { isProtectedRun } from "../engine/run-finalizer.ts";
import type { ObjectStore } from "../ports.ts";
import { type KindStores, soughtIndexOf } from "./kind-stores.ts";
import type { StoreHandler } from "./store.ts";

/** Priority of objects of an initial list, which must not delay an edit. */
const INITIAL_PRIORITY = -100;

/** The queue of one kind, which receives the keys. */
export interface KeySink {
  add(key: string, options?: { readonly priority?: number }): void;
}

export interface RoutesInput {
  readonly kind: DeclaredKind;
  readonly stores: KindStores;
  readonly queue: KeySink;
  /** A resource was deleted. */
  readonly onGone: (resource: LiveObject) => void;
  /** A resource is new, or its spec was edited, since the first list. */
  readonly onEdit?: ((resource: LiveObject) => void) | undefined;
  /**
   * A child of any resource was deleted, with `owners` if they are resources of this operator; returns the keys of
   * resources that waited for it.
   */
  readonly onChildGone: (child: LiveObject, owners: readonly string[]) => Iterable<string>;
  /** A related object was deleted. */
  readonly onRelatedGone?: (object: LiveObject) => void;
}

/** Converts events of a kind's resources, children and related objects into keys of the affected resources. */
export function routeEvents(input: RoutesInput): void {
  const { kind, stores, queue, onChildGone, onRelatedGone } = input;
  const { definition } = kind;
  const groupKind = groupKindOf(definition);
  const resources = stores.resources(definition);
  const childKinds = new Set(kind.children.map(groupKindOf));

  stores.subscribe("resource", ({ kind: watched }) =>
    groupKindOf(watched) === groupKind ? forResources(input) : silent,
  );
  stores.subscribe("child", ({ kind: watched }) =>
    childKinds.has(groupKindOf(watched))
      ? forOwners((child) => ownerKeysOf(child, kind, resources), queue, onChildGone)
      : silent,
  );
  for (const related of kind.related) {
    stores.subscribe("related", ({ kind: watched, selector }) =>
      groupKindOf(watched) === groupKindOf(related.kind) && selector === related.selector
        ? forOwners(
            (object) => seekersOf(object, related, resources),
            queue,
            (object) => {
              onRelatedGone?.(object);
              return [];
            },
          )
        : silent,
    );
  }
}

const silent: StoreHandler = { added() {}, updated() {}, deleted() {} };

function forResources({ queue, onGone, onEdit }: RoutesInput): StoreHandler {
  return {
    added: (resource, { initial }) => {
      if (!initial) onEdit?.(resource);
      queue.add(keyOf(resource), initial ? { priority: INITIAL_PRIORITY } : {});
    },
    updated: (old, resource) => {
      if (old.metadata.generation !== resource.metadata.generation) onEdit?.(resource);
      queue.add(keyOf(resource));
    },
    deleted: (resource) => {
      onGone(resource);
      queue.add(keyOf(resource));
    },
  };
}

/** Queues the owners of changed objects, and the resources that waited for a deleted one. */
export function forOwners(
  ownersOf: (object: LiveObject) => Iterable<string>,
  queue: KeySink,
  onChildGone: RoutesInput["onChildGone"],
): StoreHandler {
  const enqueue = (objects: readonly LiveObject[], options: { priority?: number } = {}): void => {
    for (const key of new Set(objects.flatMap((object) => [...ownersOf(object)]))) queue.add(key, options);
  };
  return {
    added: (object, { initial }) => enqueue([object], initial ? { priority: INITIAL_PRIORITY } : {}),
    // Both: a child whose controller changed affects its old and its new owner.
    updated: (old, object) => enqueue([old, object]),
    deleted: (object) => {
      const owners = [...new Set(ownersOf(object))];
      for (const key of owners) queue.add(key);
      for (const key of onChildGone(object, owners)) queue.add(key);
    },
  };
}

/** The resources of a kind that a child affects: its controller, or otherwise the one whose set it is in. */
function ownerKeysOf(
  child: LiveObject,
  { definition }: DeclaredKind,
  resources: ObjectStore,
): Iterable<string> {
  const controller = controllerOf(child);
  if (controller?.kind === definition.kind && groupOf(controller.apiVersion) === definition.group) {
    const { namespace } = child.metadata;
    const name = controller.name;
    const key = definition.namespaced ? `${namespace}/${name}` : name;
    // Garbage collection cannot delete a run before our finalizer is removed.
    return isProtectedRun(child) ? [key] : existing(key, resources);
  }
  const set = child.metadata.labels?.[stamps.set];
  return set === undefined ? [] : resources.byIndex("set", set).map(keyOf);
}

/** The resources that a related object affects: the one that it belongs to, or all that find it by their keys. */
function seekersOf(
  object: LiveObject,
  related: DeclaredKind["related"][number],
  resources: ObjectStore,
): readonly string[] {
  const found = related.ownerKey(object) ?? [];
  const keys = typeof found === "string" ? [found] : found;
  if (related.soughtKey === undefined) return keys.flatMap((key) => existing(key, resources));
  const index = soughtIndexOf(related);
  return keys.flatMap((key) => resources.byIndex(index, key).map(keyOf));
}

/** The garbage collector deletes objects of deleted resources. */
function existing(key: string | undefined, resources: ObjectStore): readonly string[] {
  return key !== undefined && resources.get(key) !== undefined ? [key] : [];
}
