import { execFile, execFileSync } from "node:child_process";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Room for two clones; what it takes to fill it is written within milliseconds. */
const megabytes = 24;

/** A folder on a disk of its own (tmpfs, where we may mount one), which can be filled to the last byte. */
export class SmallDisk {
  readonly path: string;
  readonly #isMounted: boolean;
  /** An early end of this process must not leave a mount behind. */
  readonly #onExit = (): void => {
    execFileSync("umount", ["--lazy", this.path]);
  };

  private constructor(path: string, isMounted: boolean) {
    this.path = path;
    this.#isMounted = isMounted;
    if (isMounted) process.once("exit", this.#onExit);
  }

  static async create(path: string): Promise<SmallDisk> {
    await mkdir(path, { recursive: true, mode: 0o700 });
    const isMounted = await run("mount", [
      "-t",
      "tmpfs",
      "-o",
      `size=${megabytes}m,mode=0700`,
      "fairlead-faults",
      path,
    ]).then(
      () => true,
      () => false,
    );
    return new SmallDisk(path, isMounted);
  }

  /** Returns false without a disk of our own to fill. */
  async fill(): Promise<boolean> {
    if (!this.#isMounted) return false;
    const file = await open(join(this.path, "filler"), "w");
    const block = Buffer.alloc(64 * 1024);
    try {
      // The last piece is cut down until nothing fits any more.
      for (let length = block.length; length >= 1; )
        await file.write(block, 0, length).catch(() => {
          length = Math.floor(length / 2);
        });
    } finally {
      await file.close().catch(() => undefined);
    }
    return true;
  }

  async empty(): Promise<void> {
    await rm(join(this.path, "filler"), { force: true });
  }

  async remove(): Promise<void> {
    if (this.#isMounted) await run("umount", ["--lazy", this.path]).catch(() => undefined);
    process.off("exit", this.#onExit);
    await rm(this.path, { recursive: true, force: true });
  }
}
