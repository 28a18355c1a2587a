import type { Bundle } from "./bundle.ts";

/** Maximum memory of all cached bundles, in characters. */
const CHARACTERS = 64 * 2 ** 20;

/**
 * Bundles by namespace, repository, tree and entry: each is built once, also for concurrent requests. Failures are not
 * cached.
 */
export class BundleCache {
  /** In order of use, the most recent last. */
  readonly #bundles = new Map<string, Bundle>();
  readonly #making = new Map<string, Promise<Bundle>>();
  #characters = 0;

  of(key: string, make: () => Promise<Bundle>): Promise<Bundle> {
    const known = this.#bundles.get(key);
    if (known !== undefined) {
      this.#bundles.delete(key);
      this.#bundles.set(key, known);
      return Promise.resolve(known);
    }
    const making = this.#making.get(key) ?? this.#make(key, make);
    this.#making.set(key, making);
    return making;
  }

  async #make(key: string, make: () => Promise<Bundle>): Promise<Bundle> {
    try {
      const bundle = await make();
      this.#bundles.set(key, bundle);
      this.#characters += sizeOf(bundle);
      for (const [oldKey, old] of this.#bundles) {
        if (this.#characters <= CHARACTERS || oldKey === key) break;
        this.#bundles.delete(oldKey);
        this.#characters -= sizeOf(old);
      }
      return bundle;
    } finally {
      this.#making.delete(key);
    }
  }
}

function sizeOf({ code, sourceMap }: Bundle): number {
  return code.length + sourceMap.length;
}
