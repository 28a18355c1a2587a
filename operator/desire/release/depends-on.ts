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
 * The cycle of dependencies that a Release is part of: keys, each of which waits for the next, the first one again at the
 * end, the shortest one; undefined: it is in none. Pure.
 *
 * @param dependenciesOfKey Keys of what a Release waits for; none for one that does not exist.
 */
export function findCycle(
  key: string,
  dependenciesOfKey: (key: string) => readonly string[],
): readonly string[] | undefined {
  // Breadth first, so that the shortest cycle is shown.
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
 * Describes which Releases wait for each other, and what to do.
 *
 * @param options.isHidden Releases whose names the reader must not see. Default: none.
 */
export function describeCycle(
  cycle: readonly string[],
  { isHidden = () => false }: { readonly isHidden?: (key: string) => boolean } = {},
): string {
  const names = cycle.map((key) => (isHidden(key) ? "a Release of another namespace" : key));
  return `These Releases depend on each other: ${names.join(" → ")}. Remove one of them from spec.dependsOn`;
}

/**
 * Whether Releases of a namespace may depend on this one: of its own always, of others where its annotation names them.
 * The condition of a dependent shows its author the state of this Release, so its owner decides who may depend on it. Pure.
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

/** Why a Release waits for one of its own namespace that does not exist. */
export function describeAbsent(key: string): string {
  return `Release ${key} does not exist`;
}

/** Why a Release waits for one that does not allow it. The text is the same whether that one exists or not. */
export function describeHidden(key: string, namespace: string | undefined): string {
  return (
    `Release ${key} does not exist, or does not allow Releases of namespace ${namespace} to depend on it ` +
    `(annotation ${releaseAnnotations.allowDependents}: ${namespace})`
  );
}

/**
 * Why a Release waits for one that it depends on; undefined: for nothing. It waits until all objects of the newest known
 * revision are applied and healthy, for the current spec of the other one. The availability of the source does not
 * matter: an outage of a remote delays no dependent. Pure.
 *
 * @param options.isCurrent Whether the last poll of its source has the deployed revision.
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
  // While it is suspended, its objects are not assessed again.
  if (!spec.suspend && find(healthy)?.observedGeneration !== generation)
    return `Release ${key} is not ready (${find("Ready")?.reason})`;
  const { revision, attempted = revision } = status ?? {};
  if (revision === undefined || attempted !== revision || !isCurrent(key))
    return `Release ${key} is not at its newest revision yet`;
  return undefined;
}
