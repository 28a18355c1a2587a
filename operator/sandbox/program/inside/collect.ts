import { ApiObject, Chart } from "cdk8s";
import type { IConstruct } from "constructs";
import { firstProblem } from "./json-problem.ts";
import type { CollectedObjects, Outcome } from "./outcome.ts";

export interface CollectLimits {
  readonly objects: number;
  /** Characters of the JSON of all objects together. */
  readonly characters: number;
}

/** Maximum number of edges between objects: a dependency between two charts becomes edges between all objects of both. */
const EDGES = 100_000;

/** Origin of one object. */
interface Found {
  readonly construct: IConstruct;
  readonly json: () => unknown;
}

/**
 * All objects of some cdk8s Apps, in the order of their constructs, and the edges that `addDependency` declared.
 * `app.synth()` is not used: it writes files, and it turns every nested chart into a dependency. That would only order
 * files, but the engine would wait for the health of objects without a declared dependency.
 */
export function collectObjects(apps: readonly object[], limits: CollectLimits): Outcome {
  const roots = apps as readonly IConstruct[];
  const constructs = roots.flatMap((app) => app.node.findAll());
  const problems = constructs.flatMap((construct) =>
    construct.node.validate().map((problem) => `${construct.node.path}: ${problem}`),
  );
  if (problems.length > 0) throw new Error(problems.join("; "));
  const indexes = new Map<IConstruct, number>();
  const [objects, origins]: [string[], string[]] = [[], []];
  let characters = 0;
  for (const { construct, json } of find(constructs)) {
    const { path } = construct.node;
    if (objects.length >= limits.objects) {
      return { state: "limit", message: `it makes more than ${limits.objects} objects` };
    }
    const value = json();
    const problem = firstProblem(value);
    if (problem !== undefined) throw new TypeError(`${path}: ${problem}`);
    const text = JSON.stringify(value);
    characters += text.length;
    if (characters > limits.characters) {
      return {
        state: "limit",
        message: `its objects are larger than ${Math.round(limits.characters / 2 ** 20)} MiB`,
      };
    }
    if (!indexes.has(construct)) indexes.set(construct, objects.length);
    objects.push(text);
    origins.push(path);
  }
  const edges = edgesOf(constructs, indexes);
  if (edges === undefined) {
    return {
      state: "limit",
      message: `its constructs declare more than ${EDGES} dependencies between objects`,
    };
  }
  return { state: "collected", objects, origins, edges };
}

function find(constructs: readonly IConstruct[]): Found[] {
  return constructs.flatMap((construct): Found[] => {
    if (Chart.isChart(construct) && construct.toJson !== Chart.prototype.toJson) {
      const made: unknown = (construct as Chart).toJson();
      if (!Array.isArray(made)) throw new TypeError(`${construct.node.path}: toJson() gives no array`);
      return made.map((value) => ({ construct, json: () => value as unknown }));
    }
    if (!ApiObject.isApiObject(construct)) return [];
    const chart = Chart.of(construct);
    if (chart.toJson !== Chart.prototype.toJson) return [];
    return [{ construct, json: () => (construct as ApiObject).toJson() as unknown }];
  });
}

function edgesOf(
  constructs: readonly IConstruct[],
  indexes: ReadonlyMap<IConstruct, number>,
): CollectedObjects["edges"] | undefined {
  const below = new Map<IConstruct, readonly number[]>();
  const objectsBelow = (construct: IConstruct): readonly number[] => {
    const known = below.get(construct);
    if (known !== undefined) return known;
    const found = construct.node.findAll().flatMap((child) => indexes.get(child) ?? []);
    below.set(construct, found);
    return found;
  };
  const edges: (readonly [number, number])[] = [];
  const seen = new Set<number>();
  for (const construct of constructs) {
    for (const dependency of construct.node.dependencies) {
      for (const from of objectsBelow(construct)) {
        for (const to of objectsBelow(dependency)) {
          const edge = from * indexes.size + to;
          if (from === to || seen.has(edge)) continue;
          seen.add(edge);
          edges.push([from, to]);
          if (edges.length > EDGES) return undefined;
        }
      }
    }
  }
  return edges;
}
