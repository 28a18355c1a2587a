import type { LiveObject } from "../../crds/object.ts";
import { digestOf, toCanonicalJson } from "../../synth/digest.ts";
import type { Addition } from "../../synth/manifest.ts";
import { settledHash } from "./settled-hash.ts";

/**
 * Objects with differences from their manifest that an apply does not correct, such as a field that an admission webhook
 * changes. Each of them is applied once, and again only when it changes. `addition`: several resources may add to one
 * object, and the addition of each may change.
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
