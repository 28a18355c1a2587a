import { ApiObject, type Chart } from "cdk8s";
import type { IConstruct } from "constructs";
import { idOf, type Manifest, type ObjectId } from "./manifest.ts";

/** By the id of an object, the ids of the objects that must be healthy before it is applied. */
export type Needs = ReadonlyMap<ObjectId, readonly ObjectId[]>;

const none: Needs = new Map();

/**
 * Returns the dependencies between the objects of a chart, as declared by `node.addDependency()`: between two objects,
 * or between everything below two constructs. Ids are those of the chart's objects, without a default namespace.
 */
export function needsOf(chart: Chart): Needs {
  const constructs = chart.node.findAll();
  if (constructs.every(({ node }) => node.dependencies.length === 0)) return none;
  const needs = new Map<ObjectId, Set<ObjectId>>();
  for (const construct of constructs) {
    const needed = construct.node.dependencies.flatMap(idsBelow);
    if (needed.length === 0) continue;
    for (const id of idsBelow(construct)) {
      const others = needs.getOrInsertComputed(id, () => new Set());
      for (const other of needed) if (other !== id) others.add(other);
    }
  }
  return new Map([...needs].map(([id, others]) => [id, [...others]]));
}

/** The same with other ids; objects without one, such as an addition to an object of another owner, are omitted. Pure. */
export function renameNeeds(needs: Needs, nameOf: (id: ObjectId) => ObjectId | undefined): Needs {
  if (needs.size === 0) return needs;
  return new Map(
    [...needs].flatMap(([id, others]) => {
      const name = nameOf(id);
      return name === undefined ? [] : [[name, others.flatMap((other) => nameOf(other) ?? [])]];
    }),
  );
}

function idsBelow(construct: IConstruct): ObjectId[] {
  return construct.node
    .findAll()
    .flatMap((child) => (ApiObject.isApiObject(child) ? idOf(child.toJson() as Manifest) : []));
}
