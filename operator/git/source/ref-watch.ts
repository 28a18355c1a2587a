import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../ports.ts";
import { sleep } from "../../runtime/sleep.ts";
import type { RemoteUrl } from "../remote-url.ts";
import { onlyRefOf, type RefWish } from "./source-wish.ts";

export interface RefWatchOptions {
  readonly remote: RemoteUrl;
  readonly clock: Clock;
  readonly wishes: () => ReadonlyMap<string, RefWish>;
  /** @param pushed The full name of the only wanted ref; undefined: there are several, or the repository is gone. */
  readonly onChange: (pushed: string | undefined) => void;
}

/** Interval between two reads of the files. */
const POLL_MS = 250;

/**
 * Detects a push to a repository on this machine by size, time and inode of the files that hold its refs, without
 * starting a process. If that misses a push, the next poll of the interval finds it.
 */
export class RefWatch {
  readonly #options: RefWatchOptions;
  readonly #closed = new AbortController();
  #seen: string | undefined;
  #isWatching = false;

  constructor(options: RefWatchOptions) {
    this.#options = options;
  }

  /** Call it before a poll. The first call starts the watch. */
  async mark(): Promise<void> {
    this.#seen = await this.#read();
    if (this.#isWatching) return;
    this.#isWatching = true;
    void this.#watch();
  }

  close(): void {
    this.#closed.abort();
  }

  async #watch(): Promise<void> {
    const { clock, wishes, onChange } = this.#options;
    const { signal } = this.#closed;
    while (!signal.aborted) {
      await sleep(POLL_MS, { clock, signal });
      const before = this.#seen;
      const now = await this.#read();
      // Another poll may have finished meanwhile.
      if (signal.aborted || now === before || before !== this.#seen) continue;
      this.#seen = now;
      const isGone = now.trim() === "";
      onChange(isGone ? undefined : onlyRefOf(wishes())?.ref);
    }
  }

  async #read(): Promise<string> {
    const { remote, wishes } = this.#options;
    const names = new Set(["packed-refs", "reftable/tables.list"]);
    for (const wish of wishes().values()) {
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
