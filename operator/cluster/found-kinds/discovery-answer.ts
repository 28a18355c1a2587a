import { apiVersionOf, type ObjectKind } from "../../../crds/object.ts";
import { type JsonObject, listIn, objectIn, textIn } from "../json-value.ts";

/** Discovery answer for one version of one group. */
export interface DiscoveredVersion {
  readonly group: string;
  readonly version: string;
  readonly kinds: readonly ObjectKind[];
  /** Names of kinds that can be created but not stored, such as TokenReview. */
  readonly unkept: readonly string[];
  /** Its API server does not respond, so this may be outdated. */
  readonly isStale: boolean;
}

/** Verbs that a kind must support so that a resource can own its objects. */
const needed = ["get", "list", "watch", "create", "patch", "delete"] as const;

/**
 * Parses an APIGroupDiscoveryList; versions of a group are in the order that the cluster prefers.
 *
 * @returns Undefined: it is another object, so the server does not support aggregated discovery.
 */
export function readAggregated(answer: unknown): readonly DiscoveredVersion[] | undefined {
  const list = objectIn(answer);
  if (list["kind"] !== "APIGroupDiscoveryList") return undefined;
  return listIn(list["items"])
    .map(objectIn)
    .flatMap((item) => {
      const group = textIn(objectIn(item["metadata"])["name"]);
      return listIn(item["versions"])
        .map(objectIn)
        .map((one) => {
          const resources = listIn(one["resources"]).map(objectIn).map(fromAggregated);
          const isStale = one["freshness"] === "Stale";
          return versionOf({ group, version: textIn(one["version"]), resources, isStale });
        });
    });
}

/** Group versions in a legacy `/api` or `/apis` response, in the order that the cluster prefers. */
export function readLegacyGroups(
  answer: unknown,
): readonly { readonly group: string; readonly version: string }[] {
  const { kind, versions, groups } = objectIn(answer);
  if (kind === "APIVersions")
    return listIn(versions).map((version) => ({ group: "", version: textIn(version) }));
  return listIn(groups)
    .map(objectIn)
    .flatMap(({ name, versions: served, preferredVersion }) => {
      const preferred = textIn(objectIn(preferredVersion)["version"]);
      const all = listIn(served).map((one) => textIn(objectIn(one)["version"]));
      const ordered = all.includes(preferred)
        ? [preferred, ...all.filter((version) => version !== preferred)]
        : all;
      return ordered.map((version) => ({ group: textIn(name), version }));
    });
}

/** Parses an APIResourceList of one group version. */
export function readLegacyResources(
  answer: unknown,
  { group, version }: { readonly group: string; readonly version: string },
): DiscoveredVersion {
  const resources = listIn(objectIn(answer)["resources"])
    .map(objectIn)
    // The list includes subresources, whose names contain a slash.
    .filter(({ name }) => !textIn(name).includes("/"))
    .map(({ name, kind, namespaced, verbs }) => ({
      plural: textIn(name),
      kind: textIn(kind),
      namespaced: namespaced === true,
      verbs: listIn(verbs),
    }));
  return versionOf({ group, version, resources, isStale: false });
}

/**
 * The kinds that an established CustomResourceDefinition defines, in the order of its versions; also during its
 * deletion.
 */
export function kindsOfDefinition(crd: Readonly<Record<string, unknown>>): readonly ObjectKind[] {
  const { group, names, scope, versions } = objectIn(crd["spec"]);
  const { kind, plural } = objectIn(names);
  const conditions = listIn(objectIn(crd["status"])["conditions"]).map(objectIn);
  const isEstablished = conditions.some(({ type, status }) => type === "Established" && status === "True");
  if (!isEstablished) return [];
  return listIn(versions)
    .map(objectIn)
    .filter(({ served }) => served === true)
    .map(({ name }) => ({
      group: textIn(group),
      version: textIn(name),
      kind: textIn(kind),
      plural: textIn(plural),
      namespaced: scope === "Namespaced",
    }));
}

/** Name of a kind in one version: `apps/v1/Deployment`, `v1/Secret`. */
export function kindKeyOf(kind: Pick<ObjectKind, "group" | "version" | "kind">): string {
  return `${apiVersionOf(kind)}/${kind.kind}`;
}

interface Resource {
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly unknown[];
}

function fromAggregated({ resource, responseKind, scope, verbs }: JsonObject): Resource {
  return {
    plural: textIn(resource),
    kind: textIn(objectIn(responseKind)["kind"]),
    namespaced: scope === "Namespaced",
    verbs: listIn(verbs),
  };
}

function versionOf({
  group,
  version,
  resources,
  isStale,
}: Pick<DiscoveredVersion, "group" | "version" | "isStale"> & {
  readonly resources: readonly Resource[];
}): DiscoveredVersion {
  const named = resources.filter(({ kind, plural }) => kind !== "" && plural !== "");
  const [kept, unkept] = [true, false].map((isKept) =>
    named.filter(({ verbs }) => needed.every((verb) => verbs.includes(verb)) === isKept),
  );
  return {
    group,
    version,
    kinds: (kept ?? []).map(({ plural, kind, namespaced }) => ({ group, version, kind, plural, namespaced })),
    unkept: (unkept ?? []).map(({ kind }) => kind),
    isStale,
  };
}
