import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { BareClone } from "../../../operator/git/bare-clone.ts";
import { credentialsFolder } from "../../../operator/git/git-remote.ts";

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function aClone(base: string): Promise<BareClone> {
  const clone = await BareClone.open({
    base,
    environment: { PATH: process.env["PATH"] },
    run: async ({ arguments: words, directory, environment: env }) =>
      (await promisify(execFile)("git", words, { cwd: directory, env })).stdout,
  });
  onTestFinished(() => clone.release());
  return clone;
}

describe("BareClone", () => {
  test("is created if it does not exist, with the requested hash", async () => {
    const clone = await aClone(join(aFolder(), "clone"));
    expect(clone.format).toBe("sha1");
    await clone.rebuild("sha256");
    expect(clone.format).toBe("sha256");
    expect(await clone.read(["rev-parse", "--is-bare-repository"])).toBe("true\n");
  });

  test("is reused by the next process", async () => {
    const base = join(aFolder(), "clone");
    const first = await aClone(base);
    await first.rebuild("sha256");
    writeFileSync(join(first.directory, "mark"), "");
    await first.release();
    const second = await aClone(base);
    expect(second.format).toBe("sha256");
    expect(existsSync(join(second.directory, "mark"))).toBe(true);
  });

  test("is recreated if it is broken, also inside another repository", async () => {
    const outer = aFolder();
    execFileSync("git", ["init", "-q", outer]);
    const first = await aClone(join(outer, "clone"));
    rmSync(join(first.directory, "objects"), { recursive: true });
    await first.release();
    const second = await aClone(join(outer, "clone"));
    expect(existsSync(join(second.directory, "objects"))).toBe(true);
  });

  test("removes the credentials that a killed process left behind", async () => {
    const base = join(aFolder(), "clone");
    const { home } = await aClone(base);
    const left = credentialsFolder(home);
    mkdirSync(left);
    writeFileSync(join(left, "identity"), "secret");
    // Its lock belongs to no running process.
    writeFileSync(join(home, "lock"), "0 0");
    const next = await aClone(base);
    expect(next.home).toBe(home);
    expect(existsSync(left)).toBe(false);
  });

  test("allows no protocol to any remote", async () => {
    const clone = await aClone(join(aFolder(), "clone"));
    const other = await aClone(join(aFolder(), "other"));
    await expect(clone.read(["ls-remote", other.directory])).rejects.toThrow("transport 'file' not allowed");
  });

  test("is deleted from the disk when it is removed", async () => {
    const clone = await aClone(join(aFolder(), "clone"));
    expect(await clone.isThere()).toBe(true);
    await clone.release({ remove: true });
    expect(await clone.isThere()).toBe(false);
    expect(existsSync(clone.home)).toBe(false);
  });
});
