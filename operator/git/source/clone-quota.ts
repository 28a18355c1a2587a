import { SourceError } from "../../errors.ts";

export interface CloneQuotaLimits {
  /** Bytes of the folder that holds all clones. */
  readonly cacheBytes: number;
}

interface Clone {
  bytes: number;
  /** Resources per namespace. The last namespace that used a clone keeps its entry, with 0 resources. */
  readonly resources: Map<string, number>;
}

/**
 * Shares of the cache: of one namespace; of all namespaces; and the use up to which a namespace with little use may
 * still fetch.
 */
const [NAMESPACE_SHARE, ALL_SHARE, RESERVE_SHARE] = [0.25, 0.6, 0.9];

/**
 * Distributes the disk space for clones among namespaces. A clone that several namespaces use counts for each of them,
 * and grows while one of them is below its quota.
 */
export class CloneQuota {
  readonly #cacheBytes: number;
  readonly #clones = new Map<string, Clone>();

  constructor({ cacheBytes }: CloneQuotaLimits) {
    this.#cacheBytes = cacheBytes;
  }

  /** Most bytes of one clone. */
  get cloneBytes(): number {
    return Math.floor(this.#cacheBytes * NAMESPACE_SHARE);
  }

  /** Records that a resource uses a clone. */
  join(id: string, namespace: string): void {
    const { resources } = this.#clones.getOrInsertComputed(id, () => ({ bytes: 0, resources: new Map() }));
    for (const [other, count] of resources) if (count === 0) resources.delete(other);
    resources.set(namespace, (resources.get(namespace) ?? 0) + 1);
  }

  /** Records that a resource no longer uses it. */
  leave(id: string, namespace: string): void {
    const resources = this.#clones.get(id)?.resources;
    const count = (resources?.get(namespace) ?? 0) - 1;
    if (count > 0 || resources?.size === 1) resources?.set(namespace, Math.max(0, count));
    else resources?.delete(namespace);
  }

  /** Records the size of the clone. */
  note(id: string, bytes: number): void {
    const clone = this.#clones.get(id);
    if (clone !== undefined) clone.bytes = bytes;
  }

  /** Records that the clone was deleted. */
  forget(id: string): void {
    this.#clones.delete(id);
  }

  /**
   * Bytes by which a clone may grow.
   *
   * @throws SourceError `RenderLimit` with the numbers if it may not grow.
   */
  roomOf(id: string): number {
    const all = [...this.#clones.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    const namespaces = new Set([...this.#clones.values()].flatMap(({ resources }) => [...resources.keys()]));
    const rooms = [...(this.#clones.get(id)?.resources.keys() ?? [])].map((namespace) => {
      const own = this.#usedBy(namespace);
      const fair = Math.min(
        (this.#cacheBytes * ALL_SHARE) / namespaces.size - own,
        this.#cacheBytes * RESERVE_SHARE - all,
      );
      const ofAll = Math.max(this.#cacheBytes * ALL_SHARE - all, fair);
      return { namespace, own, room: Math.min(this.#cacheBytes * NAMESPACE_SHARE - own, ofAll) };
    });
    const best = rooms.toSorted((a, b) => b.room - a.room)[0];
    if (best === undefined || best.room > 0) return best?.room ?? this.cloneBytes;
    throw new SourceError(
      "RenderLimit",
      `Cannot fetch the repository: clones of namespace ${best.namespace} take ${show(best.own)} of ${show(this.cloneBytes)}, all clones ${show(all)} of ${show(this.#cacheBytes)}`,
    );
  }

  #usedBy(namespace: string): number {
    let sum = 0;
    for (const { bytes, resources } of this.#clones.values()) if (resources.has(namespace)) sum += bytes;
    return sum;
  }
}

function show(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)} MiB`;
}
