import type { LiveObject } from "../../crds/object.ts";
import { settledHash } from "./settled-hash.ts";

/**
 * Objects that differ from their manifest in a way that applying does not mend, such as a field that an admission
 * webhook rewrites. Each is applied once, and again only when it changes. `manager`: of an addition, because several
 * resources may add to one object.
 */
export class SettledObjects {
  readonly #hashes = new Map<string, Map<string, string>>();

  has(live: LiveObject, manager = ""): boolean {
    const hash = this.#hashes.get(live.metadata.uid)?.get(manager);
    return hash !== undefined && hash === settledHash(live);
  }

  remember(live: LiveObject, manager = ""): void {
    this.#hashes.getOrInsertComputed(live.metadata.uid, () => new Map()).set(manager, settledHash(live));
  }

  forget({ metadata }: LiveObject): void {
    this.#hashes.delete(metadata.uid);
  }
}
