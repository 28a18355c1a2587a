import { showMebibytes } from "../engine/show-text.ts";
import { SourceError } from "../errors.ts";

export interface KeptRendersLimits {
  /** Maximum memory of all renders, in bytes, as estimated. */
  readonly all: number;
  readonly perNamespace: number;
}

/** The objects do not fit into the planned memory at present. They may fit later. */
export class MemoryQuotaError extends SourceError {}

interface Kept {
  readonly namespace: string;
  readonly bytes: number;
}

/** Counts the memory of the renders in use, in total and for each namespace. */
export class KeptRenders {
  readonly #limits: KeptRendersLimits;
  readonly #kept = new Map<string, Kept>();
  readonly #perNamespace = new Map<string, number>();
  #all = 0;

  constructor(limits: KeptRendersLimits) {
    this.#limits = limits;
  }

  /**
   * Counts a render, replacing an older one with the same id.
   *
   * @throws MemoryQuotaError if it exceeds the limit of its namespace; or if the total is exceeded, and its namespace
   * uses more than its share.
   */
  add(id: string, kept: Kept): void {
    this.remove(id);
    const { all, perNamespace } = this.#limits;
    const own = (this.#perNamespace.get(kept.namespace) ?? 0) + kept.bytes;
    if (own > perNamespace) {
      throw new MemoryQuotaError(
        "RenderLimit",
        `the objects of all Releases in namespace ${kept.namespace} take ${showMebibytes(own)} of memory, at most ${showMebibytes(perNamespace)} are allowed`,
      );
    }
    const namespaces = this.#perNamespace.size + (this.#perNamespace.has(kept.namespace) ? 0 : 1);
    if (this.#all + kept.bytes > all && own > all / namespaces) {
      throw new MemoryQuotaError(
        "RenderLimit",
        `the objects of all Releases of the cluster take ${showMebibytes(this.#all + kept.bytes)} of memory, at most ${showMebibytes(all)} are allowed; namespace ${kept.namespace} takes ${showMebibytes(own)} of it`,
      );
    }
    this.#kept.set(id, kept);
    this.#perNamespace.set(kept.namespace, own);
    this.#all += kept.bytes;
  }

  remove(id: string): void {
    const kept = this.#kept.get(id);
    if (kept === undefined) return;
    this.#kept.delete(id);
    this.#all -= kept.bytes;
    const left = (this.#perNamespace.get(kept.namespace) ?? 0) - kept.bytes;
    if (left === 0) this.#perNamespace.delete(kept.namespace);
    else this.#perNamespace.set(kept.namespace, left);
  }
}
