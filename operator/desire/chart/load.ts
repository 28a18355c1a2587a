import type { BoundKind } from "../../../crds/binding.ts";
import {
  type CustomResource,
  groupKindOf,
  groupOf,
  keyOf,
  type LiveObject,
  type ObjectKind,
} from "../../../crds/object.ts";
import type { Observed } from "../../../crds/observed.ts";
import { idOf, type ObjectId } from "../../../synth/manifest.ts";
import type { FoldedRecord } from "../../../synth/record.ts";
import { setOf } from "../../../synth/stamp.ts";
import type { OwnedObject } from "../../engine/desired-set.ts";
import type { SpecInvalidError } from "../../errors.ts";
import type { Stores } from "../../ports.ts";
import type { Sourced } from "./follow-source.ts";
import type { KindMemory } from "./time-health.ts";

/** The input of one reconcile, read from the local copies only. */
export interface Loaded {
  readonly resource: CustomResource;
  /** Id of the set of objects that the resource owns. */
  readonly set: string;
  readonly observed: Observed;
  /** All live objects of the resource's set, of every child kind. */
  readonly owned: readonly OwnedObject[];
  /** The state of its source. Undefined: the kind declares none, or this run has not read it. */
  readonly sourced?: Sourced;
  /** The record of this run. Undefined: the kind has none, or it could not be folded. */
  readonly folded?: FoldedRecord;
  /** Runs whose outcome is in the record. They no longer need our finalizer. Default: none. */
  readonly finalRuns?: readonly OwnedObject[];
  /** Why the record could not be folded, or a function of the kind failed. */
  readonly refusal?: SpecInvalidError;
  /** Why the resource is kept without objects. */
  readonly expired?: string;
  /** Undefined: its kind has no timeout. */
  readonly memory?: KindMemory;
}

/** Objects that this reconcile has read because no store contains them. For example, objects to adopt do not have our label. */
export type Claimed = ReadonlyMap<ObjectId, LiveObject>;

const nothingClaimed: Claimed = new Map();

/** Reads a resource and the observed state of its objects from the local copies. Undefined: the resource was deleted. */
export function load(
  key: string,
  kind: BoundKind,
  stores: Stores,
  claimed = nothingClaimed,
): Loaded | undefined {
  const resource = stores.resources(kind.definition).get(key) as CustomResource | undefined;
  if (resource === undefined) return undefined;
  const set = setOf(kind.definition, resource);
  const owned = kind.children.flatMap((child) =>
    stores
      .children(child)
      .byIndex("set", set)
      .map((live) => ({ id: idOf(live), kind: child, live })),
  );
  return { resource, set, observed: observe(resource, kind, { set, stores, claimed }), owned };
}

/** A read-only view of the children and related objects of one resource, for its chart and its status. */
function observe(
  resource: CustomResource,
  kind: BoundKind,
  { set, stores, claimed }: { readonly set: string; readonly stores: Stores; readonly claimed: Claimed },
): Observed {
  const list = (wanted: ObjectKind): readonly LiveObject[] => {
    const groupKind = groupKindOf(wanted);
    const found = new Map<string, LiveObject>();
    for (const related of kind.related) {
      const sought = related.soughtKey === undefined ? keyOf(resource) : related.soughtKey(resource);
      if (groupKindOf(related.kind) !== groupKind || sought === undefined) continue;
      const store = stores.related(related.kind, related.selector);
      for (const object of store.byIndex(groupKindOf(kind.definition), sought)) {
        found.set(object.metadata.uid, object);
      }
    }
    for (const child of kind.children) {
      if (groupKindOf(child) !== groupKind) continue;
      for (const object of claimed.values()) {
        if (object.kind === child.kind && groupOf(object.apiVersion) === child.group)
          found.set(object.metadata.uid, object);
      }
      for (const object of stores.children(child).byIndex("set", set)) found.set(object.metadata.uid, object);
    }
    return [...found.values()].toSorted((a, b) => compareNames(a.metadata.name, b.metadata.name));
  };
  return { list, find: (wanted, name) => list(wanted).find(({ metadata }) => metadata.name === name) };
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
