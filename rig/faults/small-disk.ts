import { execFile, execFileSync } from "node:child_process";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Size of the disk: enough for two clones, and small enough to be filled within milliseconds. */
const megabytes = 24;

/** A folder on a separate disk (tmpfs, if we may mount one) that can be filled completely. */
export class SmallDisk {
  readonly path: string;
  readonly #isMounted: boolean;
  /** Removes the mount if this process ends early. */
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

  /** Fills the disk. Returns false if there is no separate disk. */
  async fill(): Promise<boolean> {
    if (!this.#isMounted) return false;
    const file = await open(join(this.path, "filler"), "w");
    const block = Buffer.alloc(64 * 1024);
    try {
      // Write smaller and smaller blocks until the disk is full.
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
