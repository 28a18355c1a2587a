import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../ports.ts";
import type { RemoteUrl } from "../remote-url.ts";
import type { RefWish } from "./source-wish.ts";

export interface RefWatchOptions {
  readonly remote: RemoteUrl;
  readonly clock: Clock;
  readonly wishes: () => Iterable<RefWish>;
  readonly onChange: () => void;
}

/** Between two looks at the files. */
const POLL_MS = 250;

/**
 * Notices a push to a repository on this machine: by size, time and inode of the files that its refs are in, without
 * starting a process. Where that misses something, the next look in the interval finds it.
 */
export class RefWatch {
  readonly #options: RefWatchOptions;
  #seen: string | undefined;
  #cancel: (() => void) | undefined;
  #isClosed = false;

  constructor(options: RefWatchOptions) {
    this.#options = options;
  }

  /** What is there now is about to be looked at. Begins the watch with the first call. */
  async mark(): Promise<void> {
    this.#seen = await this.#read();
    if (this.#cancel === undefined && !this.#isClosed) this.#next();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
  }

  #next(): void {
    this.#cancel = this.#options.clock.schedule(POLL_MS, () => void this.#poll());
  }

  async #poll(): Promise<void> {
    const before = this.#seen;
    const now = await this.#read();
    if (this.#isClosed) return;
    // Another poll may have finished meanwhile.
    if (now !== before && before === this.#seen) {
      this.#seen = now;
      this.#options.onChange();
    }
    this.#next();
  }

  async #read(): Promise<string> {
    const { remote, wishes } = this.#options;
    const names = new Set(["packed-refs", "reftable/tables.list"]);
    for (const wish of wishes()) {
      if (wish.kind === "ref") names.add(wish.ref);
      else if (wish.kind === "semver") names.add("refs/tags");
    }
    const folder = folderOf(remote.url);
    const paths = [...names].flatMap((name) => [join(folder, name), join(folder, ".git", name)]);
    const marks = paths.map(async (path) => {
      const found = await stat(path).catch(() => undefined);
      return found === undefined ? "" : `${found.ino} ${found.size} ${found.mtimeMs}`;
    });
    return (await Promise.all(marks)).join("\n");
  }
}

/** As git reads it: a URL is decoded, a path is not. */
function folderOf(url: string): string {
  if (!url.startsWith("file://")) return url;
  const path = url.slice("file://".length);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
