import type { LiveObject } from "../../crds/object.ts";
import { digestOf, toCanonicalJson } from "../../synth/digest.ts";
import type { Addition } from "../../synth/manifest.ts";
import { settledHash } from "./settled-hash.ts";

/**
 * Objects that differ from their manifest in a way that applying does not correct, such as a field that an admission
 * webhook rewrites. Each is applied once, and again only when it changes. `addition`: several resources may add to one
 * object, and each of them may have another addition later.
 */
export class SettledObjects {
  readonly #hashes = new Map<string, Map<string, string>>();

  has(live: LiveObject, addition?: Addition): boolean {
    const hash = this.#hashes.get(live.metadata.uid)?.get(addition?.fieldManager ?? "");
    return hash !== undefined && hash === hashFor(live, addition);
  }

  remember(live: LiveObject, addition?: Addition): void {
    this.#hashes
      .getOrInsertComputed(live.metadata.uid, () => new Map())
      .set(addition?.fieldManager ?? "", hashFor(live, addition));
  }

  forget({ metadata }: LiveObject): void {
    this.#hashes.delete(metadata.uid);
  }
}

function hashFor(live: LiveObject, addition: Addition | undefined): string {
  const hash = settledHash(live);
  return addition === undefined ? hash : `${hash} ${digestOf(toCanonicalJson(addition.manifest))}`;
}
