import type { ObjectKind } from "../../crds/object.ts";
import type { KindCatalog } from "../../operator/cluster/found-kinds/ports.ts";
import { aCatalog } from "./releases.ts";

/**
 * A catalog with all kinds of the cluster from the start.
 *
 * @param newDefinitions Kinds whose definitions changed a moment ago.
 */
export function aLoadedCatalog(newDefinitions: ReadonlySet<string> = new Set()): KindCatalog {
  const { find } = aCatalog();
  const answer = (kind: ObjectKind | undefined) =>
    kind === undefined
      ? ({ state: "absent", message: "the cluster has no such kind" } as const)
      : ({ state: "known", kind } as const);
  const findGroupKind = (group: string, kind: string) =>
    ["v1", "v1alpha1"].flatMap(
      (version) => find(group === "" ? version : `${group}/${version}`, kind) ?? [],
    )[0];
  return {
    find,
    findGroupKind,
    ask: (apiVersion, kind) => answer(find(apiVersion, kind)),
    askGroupKind: (group, kind) => answer(findGroupKind(group, kind)),
    refresh: () => undefined,
    learn: () => undefined,
    isDefinitionNew: (kind) => newDefinitions.has(kind),
    hasSynced: true,
  };
}
