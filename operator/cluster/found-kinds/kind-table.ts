import { apiVersionOf, groupKindOf, groupOf, type ObjectKind } from "../../../crds/object.ts";
import { type DiscoveredVersion, kindKeyOf } from "./discovery-answer.ts";

/** All known kinds of a cluster: from the last discovery, and from the CustomResourceDefinitions of sets. */
export class KindTable {
  /** By `apps/v1/Deployment`. A kind stays the same object while nothing about it changes. */
  #kinds: ReadonlyMap<string, ObjectKind> = new Map();
  #versions: readonly DiscoveredVersion[] = [];
  /** By name of the CustomResourceDefinition: established definitions, which the watch reports before discovery. */
  readonly #defined = new Map<string, readonly ObjectKind[]>();

  find(apiVersion: string, kind: string): ObjectKind | undefined {
    return this.#kinds.get(`${apiVersion}/${kind}`);
  }

  /** In the version that the cluster prefers. */
  findGroupKind(group: string, kind: string): ObjectKind | undefined {
    return this.#kinds.values().find((one) => one.group === group && one.kind === kind);
  }

  /** One of each kind, in the version that the cluster prefers. */
  all(): readonly ObjectKind[] {
    const kinds = new Map<string, ObjectKind>();
    for (const kind of this.#kinds.values()) kinds.getOrInsert(groupKindOf(kind), kind);
    return [...kinds.values()];
  }

  /** Records a discovery. For a stale group version the previous kinds remain. */
  replace(versions: readonly DiscoveredVersion[]): void {
    const before = new Map(this.#versions.map((one) => [apiVersionOf(one), one]));
    this.#versions = versions.map((one) => {
      const known = before.get(apiVersionOf(one));
      return one.isStale && one.kinds.length === 0 && known !== undefined ? { ...known, isStale: true } : one;
    });
    this.#rebuild();
  }

  /** Records the kinds of a CustomResourceDefinition of a set; none: it is not established, or being deleted. */
  define(name: string, kinds: readonly ObjectKind[]): void {
    const before = this.#defined.get(name) ?? [];
    if (kinds.length > 0) this.#defined.set(name, kinds);
    else {
      this.#defined.delete(name);
      const gone = new Set(before.map(kindKeyOf));
      // Discovery finds it a moment later.
      this.#versions = this.#versions.map((version) => ({
        ...version,
        kinds: version.kinds.filter((kind) => !gone.has(kindKeyOf(kind))),
      }));
    }
    this.#rebuild();
  }

  /** Why a kind that is not found cannot be used, for users. `group/*` means any version of a group. */
  explain(apiVersion: string, kind: string): { readonly isStale: boolean; readonly message: string } {
    const group = groupOf(apiVersion);
    const stale = this.#versions.find((one) => one.group === group && one.isStale);
    if (stale !== undefined) {
      const message = `the API server of group "${group}" does not respond, so it is unknown whether the kind ${kind} exists`;
      return { isStale: true, message };
    }
    return { isStale: false, message: this.#explainAbsence(apiVersion.replace(/\/\*$/, ""), kind) };
  }

  #explainAbsence(apiVersion: string, kind: string): string {
    const isUnkept = this.#versions.some(
      (one) => apiVersionOf(one) === apiVersion && one.unkept.includes(kind),
    );
    if (isUnkept) return `${kind} (${apiVersion}) is not a kind of object that a cluster stores`;
    const elsewhere = this.#kinds
      .values()
      .filter((one) => one.kind === kind)
      .map(apiVersionOf)
      .toArray();
    if (elsewhere.length > 0)
      return `the cluster has no ${kind} in ${apiVersion}, but in ${elsewhere.slice(0, 3).join(", ")}`;
    const near = this.#kinds
      .values()
      .find((one) => apiVersionOf(one) === apiVersion && one.kind.toLowerCase() === kind.toLowerCase());
    if (near !== undefined) return `the cluster has no ${kind} in ${apiVersion}; did you mean ${near.kind}?`;
    return `the cluster has no ${kind} in ${apiVersion}; install its CustomResourceDefinition, in this or another Release`;
  }

  #rebuild(): void {
    const kinds = new Map<string, ObjectKind>();
    const all = [
      ...this.#versions.flatMap((version) => version.kinds),
      ...[...this.#defined.values()].flat(),
    ];
    for (const kind of all) {
      const key = kindKeyOf(kind);
      const known = this.#kinds.get(key);
      kinds.set(key, known !== undefined && isSame(known, kind) ? known : Object.freeze({ ...kind }));
    }
    this.#kinds = kinds;
  }
}

function isSame(a: ObjectKind, b: ObjectKind): boolean {
  return a.plural === b.plural && a.namespaced === b.namespaced;
}
