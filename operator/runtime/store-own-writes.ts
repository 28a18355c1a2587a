import type { LiveObject } from "../../crds/object.ts";
import { isNewer } from "../engine/resource-version.ts";

/** The state of an object that the handlers knew before an unobserved change by another manager; undefined: none. */
export interface Unseen {
  readonly known: LiveObject | undefined;
}

interface Pending {
  /** The state that the handlers knew before our first write that the watch has not returned yet. */
  known: LiveObject | undefined;
  /** resourceVersions of these writes. */
  readonly versions: string[];
  /** Uids of earlier objects with this name that an own object replaced. The watch may still report them. */
  readonly replaced: string[];
}

interface Gone {
  readonly newestVersion: string;
  bookmarks: number;
}

/**
 * Our own writes to a store, until the watch returns them.
 *
 * The reconcile that made a write does not need the watch event of this write. But the response to a write also
 * contains a change that another manager made just before: if all of it counted as our own, that change would never be
 * reconciled. So events that the store has overtaken are compared with the versions that we made ourselves.
 */
export class OwnWrites {
  readonly #pending = new Map<string, Pending>();
  /** Uids of objects that we removed. */
  readonly #gone = new Map<string, Gone>();

  /** Objects and removals that the watch has not returned yet. */
  get size(): number {
    return this.#pending.size + this.#gone.size;
  }

  /** An own write replaced `current` in the store by `written`. */
  add(key: string, { metadata }: LiveObject, current: LiveObject | undefined): void {
    const pending = this.#pending.get(key) ?? { known: current, versions: [], replaced: [] };
    this.#pending.set(key, pending);
    pending.versions.push(metadata.resourceVersion);
    if (current !== undefined && current.metadata.uid !== metadata.uid)
      pending.replaced.push(current.metadata.uid);
  }

  /** The response to an own write arrived late: the store holds a newer version already. */
  addOvertaken(key: string, version: string): void {
    this.#pending.get(key)?.versions.push(version);
  }

  /** The store has the server's last state: no own write is in progress. Returns the state that the handlers had. */
  settle(key: string): Unseen | undefined {
    const pending = this.#pending.get(key);
    this.#pending.delete(key);
    return pending;
  }

  /**
   * An event arrived for a key whose object in the store, `current`, is as new or newer.
   *
   * @returns Undefined when it contains no new change: an own write, or a known one.
   */
  passEvent(key: string, version: string, current: LiveObject): Unseen | undefined {
    const pending = this.#pending.get(key);
    if (pending === undefined) return undefined;
    if (version === current.metadata.resourceVersion) {
      this.#pending.delete(key);
      return undefined;
    }
    const own = pending.versions.indexOf(version);
    if (own !== -1) {
      pending.versions.splice(own, 1);
      return undefined;
    }
    const { known } = pending;
    if (known !== undefined && !isNewer(version, known.metadata.resourceVersion)) return undefined;
    pending.known = current;
    return { known };
  }

  /** A list that is older than `current`, our own write, contains `listed` under the key. */
  passListed(key: string, listed: LiveObject | undefined, current: LiveObject): Unseen | undefined {
    const pending = this.#pending.get(key);
    if (pending === undefined) return undefined;
    const { known } = pending;
    if (known?.metadata.resourceVersion === listed?.metadata.resourceVersion) return undefined;
    pending.known = current;
    return { known };
  }

  /**
   * The operator deleted the object that the store holds under the key. Objects that it replaced are deleted as well,
   * and must not be added again when the watch reports them late.
   */
  removeHeld(key: string, newestVersion: string): void {
    for (const uid of this.#pending.get(key)?.replaced ?? []) this.addGone(uid, newestVersion);
    this.#pending.delete(key);
  }

  /** We removed the object with this uid; `newestVersion` is the newest known version of any object. */
  addGone(uid: string, newestVersion: string): void {
    if (!this.#gone.has(uid)) this.#gone.set(uid, { newestVersion, bookmarks: 0 });
  }

  isGone(uid: string): boolean {
    return this.#gone.has(uid);
  }

  /** The watch reported the deletion of this uid. @returns Whether it was ours. */
  settleGone(uid: string): boolean {
    return this.#gone.delete(uid);
  }

  /**
   * Drops removals whose deletion was already reported. The resourceVersion of the removal is unknown, so this waits
   * for a second newer bookmark (there is one per minute). If an event of the object arrives still later, its deletion
   * follows directly.
   */
  passBookmark(version: string): void {
    for (const [uid, gone] of this.#gone) {
      if (isNewer(version, gone.newestVersion) && ++gone.bookmarks === 2) this.#gone.delete(uid);
    }
  }

  /** Drops removals that a list of resourceVersion `version` confirms. */
  passList(version: string, listed: Iterable<LiveObject>): void {
    if (this.#gone.size === 0) return;
    const uids = new Set<string>();
    for (const { metadata } of listed) uids.add(metadata.uid);
    for (const [uid, gone] of this.#gone) {
      if (!uids.has(uid) && !isNewer(gone.newestVersion, version)) this.#gone.delete(uid);
    }
  }

  clear(): void {
    this.#pending.clear();
    this.#gone.clear();
  }
}
