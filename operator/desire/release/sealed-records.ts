import type { LiveObject } from "../../../crds/object.ts";
import { releaseAnnotations } from "../../../crds/release.ts";
import type { ObjectId } from "../../../synth/manifest.ts";

/**
 * Maximum length of a sealed record: about 300 ids. A longer one would be sent with each event of the Release, and all
 * annotations of an object together may have 256 KiB.
 */
const LONGEST = 16_384;

/** Seals that only the operator can compute, because they depend on its key. */
export interface Sealer {
  /** The seal of a text, without spaces. Undefined: there is no key. */
  sealOf(text: string): string | undefined;
  isSealOf(seal: string, text: string): boolean;
}

/**
 * The first record of a Release's objects, as an annotation, so that one request adds it together with the finalizer. The
 * author of a Release may write annotations. The seal over the uid of the Release and the ids proves that the operator wrote
 * this one. The status contains the ids from its next write on.
 */
export class SealedRecords {
  readonly #sealer: Sealer;
  readonly #opened = new WeakMap<LiveObject, LiveObject>();

  constructor(sealer: Sealer) {
    this.#sealer = sealer;
  }

  /** The annotation with these ids for a Release. Undefined: there is no key, or the record is too long. */
  seal({ metadata: { uid } }: LiveObject, ids: readonly ObjectId[]): Record<string, string> | undefined {
    const text = JSON.stringify(ids);
    const seal = text.length > LONGEST ? undefined : this.#sealer.sealOf(`${uid} ${text}`);
    return seal === undefined ? undefined : { [releaseAnnotations.recorded]: `${seal} ${text}` };
  }

  /**
   * The Release with the ids of its sealed record in `recorded`, if its status has no inventory yet. Without them if the
   * operator did not write the record for this Release, or while the key is not known. Returns the identical object for the
   * identical Release and record.
   */
  open(release: LiveObject): LiveObject {
    const { status } = release as { readonly status?: { readonly inventory?: unknown } };
    const record =
      status?.inventory === undefined && release.metadata.annotations?.[releaseAnnotations.recorded];
    if (!record && release.recorded === undefined) return release;
    const opened = this.#opened.get(release);
    if (opened !== undefined) return opened;
    const { recorded: _, ...others } = release;
    const ids = record ? this.#read(release.metadata.uid, record) : undefined;
    // Not remembered: the key may become known later.
    if (ids === undefined) return release.recorded === undefined ? release : (others as LiveObject);
    const found = { ...others, recorded: ids } as LiveObject;
    this.#opened.set(release, found);
    return found;
  }

  #read(uid: string, record: string): readonly ObjectId[] | undefined {
    const end = record.indexOf(" ");
    const text = record.slice(end + 1);
    const isOurs = this.#sealer.isSealOf(record.slice(0, Math.max(0, end)), `${uid} ${text}`);
    return isOurs ? (JSON.parse(text) as ObjectId[]) : undefined;
  }
}
