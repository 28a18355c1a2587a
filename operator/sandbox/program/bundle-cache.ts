import type { Bundle } from "./bundle.ts";

/** Memory of all bundles that are kept, in characters. */
const CHARACTERS = 64 * 2 ** 20;

/** Bundles by namespace, repository, tree and entry: each is made once, also when many ask at the same time. Failures are not kept. */
export class BundleCache {
  /** The one that was used last comes last. */
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
