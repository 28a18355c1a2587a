import { keyOf, type LiveObject } from "../../../crds/object.ts";

interface Aged {
  /** Time of creation and key. In ascending order, the oldest comes first. */
  readonly age: string;
  readonly key: string;
}

/** The Releases of each namespace, sorted by age. A tenant may have thousands, so each step is a binary search. */
export class ReleaseAges {
  readonly #namespaces = new Map<string, Aged[]>();

  add(release: LiveObject): void {
    const aged = agedOf(release);
    const all = this.#of(release);
    const index = indexOf(all, aged.age);
    if (all[index]?.age !== aged.age) all.splice(index, 0, aged);
  }

  remove(release: LiveObject): void {
    const { age } = agedOf(release);
    const all = this.#of(release);
    const index = indexOf(all, age);
    if (all[index]?.age === age) all.splice(index, 1);
    if (all.length === 0) this.#namespaces.delete(release.metadata.namespace ?? "");
  }

  /** Number of older Releases in its namespace. */
  olderThan(release: LiveObject): number {
    return indexOf(this.#of(release), agedOf(release).age);
  }

  /** Key of the Release at an index of the order, from 0. */
  at(namespace: string, index: number): string | undefined {
    return this.#namespaces.get(namespace)?.[index]?.key;
  }

  #of({ metadata: { namespace = "" } }: LiveObject): Aged[] {
    return this.#namespaces.getOrInsertComputed(namespace, () => []);
  }
}

/** The API server sets the time of creation, in seconds. Within a second, names determine the order. */
function agedOf(release: LiveObject): Aged {
  const key = keyOf(release);
  return { age: `${release.metadata.creationTimestamp ?? ""} ${key}`, key };
}

/** Index of the first Release that is not older. */
function indexOf(all: readonly Aged[], age: string): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((all[middle]?.age ?? "") < age) low = middle + 1;
    else high = middle;
  }
  return low;
}
