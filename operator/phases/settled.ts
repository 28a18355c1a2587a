import type { LiveObject } from "../../crds/object.ts";
import { settledHash } from "../core/settled-hash.ts";

/**
 * Objects that differ from their manifest in a way that applying does not mend, such as a field that an admission
 * webhook rewrites. Each is applied once, and again only when it changes.
 */
export class SettledObjects {
  readonly #hashes = new Map<string, string>();

  has(live: LiveObject): boolean {
    const hash = this.#hashes.get(live.metadata.uid);
    return hash !== undefined && hash === settledHash(live);
  }

  remember(live: LiveObject): void {
    this.#hashes.set(live.metadata.uid, settledHash(live));
  }

  forget({ metadata }: LiveObject): void {
    this.#hashes.delete(metadata.uid);
  }
}
