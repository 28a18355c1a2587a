import type { ObjectMeta } from "../../../crds/object.ts";
import { type ReleaseResource, releaseAnnotations } from "../../../crds/release.ts";
import type { EngineStatus } from "../../../crds/status.ts";

type Dependent = Pick<ReleaseResource, "metadata"> & {
  readonly spec: Pick<ReleaseResource["spec"], "dependsOn">;
};

/** Keys of the Releases that must be ready before this one is applied; sorted, each one once. Pure. */
export function dependenciesOf({ metadata, spec }: Dependent): readonly string[] {
  const keys = (spec.dependsOn ?? []).map(
    ({ name, namespace = metadata.namespace }) => `${namespace ?? ""}/${name}`,
  );
  return [...new Set(keys)].sort();
}

/**
 * Finds the shortest cycle of dependencies that contains a Release; undefined: there is none. Each Release waits for the
 * next one; the last key equals the first. Pure.
 *
 * @param dependenciesOfKey Keys of the dependencies of a Release; none if it does not exist.
 */
export function findCycle(
  key: string,
  dependenciesOfKey: (key: string) => readonly string[],
): readonly string[] | undefined {
  // Search breadth-first to find the shortest cycle.
  const cameFrom = new Map<string, string>();
  const queue = [key];
  for (let at = 0; at < queue.length; at++) {
    const current = queue[at] as string;
    for (const next of dependenciesOfKey(current)) {
      if (next === key) return pathTo(current, key, cameFrom);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, current);
      queue.push(next);
    }
  }
  return undefined;
}

function pathTo(last: string, key: string, cameFrom: ReadonlyMap<string, string>): readonly string[] {
  const path = [key];
  for (let at: string | undefined = last; at !== undefined && at !== key; at = cameFrom.get(at))
    path.unshift(at);
  return [key, ...path];
}

/**
 * Describes a cycle of Releases that wait for each other, with instructions.
 *
 * @param options.isHidden Whether the reader must not see the name of a Release. Default: none.
 */
export function describeCycle(
  cycle: readonly string[],
  { isHidden = () => false }: { readonly isHidden?: (key: string) => boolean } = {},
): string {
  const names = cycle.map((key) => (isHidden(key) ? "a Release of another namespace" : key));
  return `These Releases depend on each other: ${names.join(" → ")}. Remove one of them from spec.dependsOn`;
}

/**
 * Whether Releases of a namespace may depend on this one. Releases of the same namespace always may; other namespaces must
 * be in its annotation, because the condition of a dependent shows the state of this Release to another tenant. Pure.
 */
export function allowsDependents(
  { metadata }: { readonly metadata: Pick<ObjectMeta, "namespace" | "annotations"> },
  namespace: string | undefined,
): boolean {
  if (metadata.namespace === namespace) return true;
  const allowed = metadata.annotations?.[releaseAnnotations.allowDependents]?.split(",") ?? [];
  return allowed.some(
    (text) => text.trim() === "*" || (namespace !== undefined && text.trim() === namespace),
  );
}

/** Message about a missing dependency in the Release's own namespace. */
export function describeAbsent(key: string): string {
  return `Release ${key} does not exist`;
}

/** Message about a dependency that does not allow the Release. The text does not show whether the dependency exists. */
export function describeHidden(key: string, namespace: string | undefined): string {
  return (
    `Release ${key} does not exist, or does not allow Releases of namespace ${namespace} to depend on it ` +
    `(annotation ${releaseAnnotations.allowDependents}: ${namespace})`
  );
}

/**
 * Why a Release waits for a dependency; undefined: it does not wait. It waits until all objects of the dependency are applied
 * and healthy, for its current spec and its newest known revision. The source of the dependency need not be available: an
 * outage of a remote does not delay dependents. Pure.
 *
 * @param options.isCurrent Whether the last poll of the dependency's source returned the deployed revision.
 */
export function assessDependency(
  key: string,
  dependency: Pick<ReleaseResource, "metadata" | "spec" | "status"> | undefined,
  { isCurrent }: { readonly isCurrent: (key: string) => boolean },
): string | undefined {
  if (dependency === undefined) return describeAbsent(key);
  const { generation, deletionTimestamp } = dependency.metadata;
  if (deletionTimestamp !== undefined) return `Release ${key} is being deleted`;
  const { status, spec } = dependency;
  const conditions = (status as EngineStatus | undefined)?.conditions ?? [];
  const find = (type: string) => conditions.find((condition) => condition.type === type);
  if (find("Ready")?.observedGeneration !== generation)
    return `Release ${key} has not been reconciled since its spec was edited`;
  const isWell = (type: string): boolean => find(type)?.status === "True";
  const [applied, healthy] = ["Applied", "Healthy"] as const;
  const bad = [applied, healthy].find((type) => !isWell(type));
  if (bad !== undefined) return `Release ${key} is not ready (${find(bad)?.reason ?? "Progressing"})`;
  // The objects of a suspended Release are not assessed again.
  if (!spec.suspend && find(healthy)?.observedGeneration !== generation)
    return `Release ${key} is not ready (${find("Ready")?.reason})`;
  const { revision, attempted = revision } = status ?? {};
  if (revision === undefined || attempted !== revision || !isCurrent(key))
    return `Release ${key} is not at its newest revision yet`;
  return undefined;
}
