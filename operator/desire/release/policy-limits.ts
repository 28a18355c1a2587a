import { keyOf, type LiveObject } from "../../../crds/object.ts";
import { Release } from "../../../crds/release.ts";
import { ReleasePolicy, type ReleaseRule } from "../../../crds/release-policy.ts";
import type { ObjectStore } from "../../ports.ts";
import type { KindStores } from "../../runtime/kind-stores.ts";
import type { StoreHandler } from "../../runtime/store.ts";
import { installationLimits, type Limits, type Platform, type SelectedRules, smallestOf } from "./limits.ts";
import { ReleaseAges } from "./release-ages.ts";
import { selectRules } from "./select-rules.ts";

export interface PolicyLimitsInput extends Pick<Platform, "allowsLocal"> {
  readonly stores: KindStores;
  /** The rule in the operator's own options. */
  readonly installation: ReleaseRule | undefined;
}

/** The platform's limits for Releases and sources of kinds, from local copies of policies, namespaces and Releases. */
export class PolicyLimits implements Platform {
  readonly allowsLocal: boolean;
  readonly #input: PolicyLimitsInput;
  readonly #namespaces: ObjectStore | undefined;
  /** The last decision for each namespace. */
  readonly #selected = new Map<string, SelectedRules>();
  readonly #ages = new ReleaseAges();
  readonly #onReleases: ((keys: Iterable<string>) => void)[] = [];
  readonly #onNamespaces: ((namespaces: ReadonlySet<string>) => void)[] = [];

  constructor(input: PolicyLimitsInput) {
    const { stores, allowsLocal } = input;
    this.#input = input;
    this.allowsLocal = allowsLocal;
    this.#namespaces = stores.findNamespaces();
    stores.subscribe("resource", ({ kind }) => {
      if (kind === Release) return this.#forReleases();
      return onEvery(() => kind === ReleasePolicy && this.#selectAgain(this.#selected.keys()));
    });
    stores.subscribe("namespace", () => ({
      ...onEvery(({ metadata }) => this.#selectAgain([metadata.name])),
      deleted: ({ metadata: { name } }) => {
        this.#selectAgain([name]);
        this.#selected.delete(name);
      },
    }));
  }

  /** Calls `tell` with the keys of Releases whose limits have changed. */
  onReleases(tell: (keys: Iterable<string>) => void): void {
    this.#onReleases.push(tell);
  }

  /** Calls `tell` with the namespaces whose rules have changed. */
  onNamespaces(tell: (namespaces: ReadonlySet<string>) => void): void {
    this.#onNamespaces.push(tell);
  }

  select({ metadata: { namespace = "" } }: LiveObject): SelectedRules {
    return this.#selected.getOrInsertComputed(namespace, () => this.#select(namespace));
  }

  /** The rules for a Release. None while they are unknown. */
  limitsOf(release: LiveObject): Limits {
    const rules = this.select(release);
    return rules.state === "known" ? rules.limits : [];
  }

  olderThan(release: LiveObject): number {
    return this.#ages.olderThan(release);
  }

  #select(namespace: string): SelectedRules {
    const { stores, installation } = this.#input;
    const labels = this.#namespaces === undefined ? "unreadable" : labelsOf(this.#namespaces.get(namespace));
    const policies = [...stores.resources(ReleasePolicy).list()];
    return selectRules({ namespace, labels, policies, installation: installationLimits(installation) });
  }

  #selectAgain(namespaces: Iterable<string>): void {
    const changed = new Set<string>();
    for (const namespace of [...namespaces]) {
      const before = this.#selected.get(namespace);
      if (before === undefined) continue;
      const now = this.#select(namespace);
      if (JSON.stringify(now) === JSON.stringify(before)) continue;
      this.#selected.set(namespace, now);
      changed.add(namespace);
    }
    if (changed.size === 0) return;
    const releases = [...this.#input.stores.resources(Release).list()];
    this.#tell(releases.filter(({ metadata }) => changed.has(metadata.namespace ?? "")).map(keyOf));
    for (const tell of this.#onNamespaces) tell(changed);
  }

  #forReleases(): StoreHandler {
    const added = (release: LiveObject): void => this.#ages.add(release);
    const deleted = (release: LiveObject): void => {
      this.#ages.remove(release);
      const most = smallestOf(this.limitsOf(release), ({ quotas }) => quotas?.releases);
      // Another Release may be deployed now.
      const next = most && this.#ages.at(release.metadata.namespace ?? "", most.value - 1);
      if (next !== undefined) this.#tell([next]);
    };
    const updated = (old: LiveObject, release: LiveObject): void => {
      if (old.metadata.uid === release.metadata.uid) return;
      // It was deleted and recreated while the watch was broken.
      deleted(old);
      added(release);
    };
    return { added, updated, deleted };
  }

  #tell(keys: readonly string[]): void {
    for (const tell of this.#onReleases) tell(keys);
  }
}

function onEvery(act: (object: LiveObject) => void): StoreHandler {
  return { added: act, updated: (_, object) => act(object), deleted: act };
}

function labelsOf(namespace: LiveObject | undefined): Readonly<Record<string, string>> | "unknown" {
  return namespace === undefined ? "unknown" : (namespace.metadata.labels ?? {});
}
