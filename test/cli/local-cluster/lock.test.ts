import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { withLock } from "../../../cli/local-cluster/lock.ts";

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-lock-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe("withLock()", () => {
  test("lets one process work at a time, and leaves nothing behind", async () => {
    const folder = await aFolder();
    let [working, most] = [0, 0];
    const work = async () => {
      working += 1;
      most = Math.max(most, working);
      await new Promise((resolve) => setImmediate(resolve));
      working -= 1;
    };
    const all = Array.from({ length: 8 }, () => withLock(join(folder, "lock"), work, { intervalMs: 1 }));
    await Promise.all(all);

    expect(most).toBe(1);
    expect(await readdir(folder)).toEqual([]);
  });

  test("takes over the lock of an ended process", async () => {
    const folder = await aFolder();
    const gone = { pid: process.pid, startedAt: "an earlier boot/1" };
    await writeFile(join(folder, "lock"), JSON.stringify(gone));

    expect(await withLock(join(folder, "lock"), async () => "done")).toBe("done");
    expect(await readdir(folder)).toEqual([]);
  });

  test("reports once which process it waits for", async () => {
    const path = join(await aFolder(), "lock");
    const holders: number[] = [];
    const { promise: told, resolve: tell } = Promise.withResolvers<void>();
    const { promise: held, resolve: hold } = Promise.withResolvers<void>();
    const first = withLock(path, () => {
      hold();
      return told;
    });
    await held;
    const onWait = ({ pid }: { pid: number }) => {
      holders.push(pid);
      tell();
    };
    await Promise.all([first, withLock(path, async () => undefined, { onWait, intervalMs: 1 })]);

    expect(holders).toEqual([process.pid]);
  });

  test("is free again after a failure", async () => {
    const path = join(await aFolder(), "lock");
    await expect(withLock(path, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    expect(await withLock(path, async () => "next")).toBe("next");
  });
});
