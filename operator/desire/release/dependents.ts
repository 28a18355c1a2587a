import { keyOf, type LiveObject } from "../../../crds/object.ts";
import type { ReleaseSpec } from "../../../crds/release.ts";
import { dependenciesOf } from "./depends-on.ts";

/** Index of the Releases that depend on each Release. */
export class Dependents {
  /** Keys of Releases, by the key of the Release on which they depend. */
  readonly #byDependency = new Map<string, Set<string>>();
  readonly #dependencies = new Map<string, readonly string[]>();

  /** The Releases that depend on this one. */
  of(key: string): Iterable<string> {
    return this.#byDependency.get(key) ?? [];
  }

  /** The Releases on which this one depends. */
  dependenciesOf(key: string): readonly string[] {
    return this.#dependencies.get(key) ?? [];
  }

  /** The Releases that depend on it directly or indirectly, which a cycle through it may block. */
  behind(key: string): ReadonlySet<string> {
    const found = new Set<string>();
    const queue = [key];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      for (const dependent of this.of(next)) if (!found.has(dependent)) queue.push(dependent);
      for (const dependent of this.of(next)) found.add(dependent);
    }
    return found;
  }

  /** Updates the index. @returns Whether the dependencies of the Release have changed. */
  learn(release: LiveObject): boolean {
    const key = keyOf(release);
    const { dependsOn } = (release["spec"] ?? {}) as Pick<ReleaseSpec, "dependsOn">;
    const dependencies = dependenciesOf({ metadata: release.metadata, spec: { dependsOn } });
    if (dependencies.join() === this.dependenciesOf(key).join()) return false;
    this.forget(key);
    this.#dependencies.set(key, dependencies);
    for (const dependency of dependencies)
      this.#byDependency.getOrInsertComputed(dependency, () => new Set()).add(key);
    return true;
  }

  forget(key: string): void {
    for (const dependency of this.dependenciesOf(key)) {
      const keys = this.#byDependency.get(dependency);
      if (keys?.delete(key) && keys.size === 0) this.#byDependency.delete(dependency);
    }
    this.#dependencies.delete(key);
  }
}
