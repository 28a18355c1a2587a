import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { type FolderFiles, type ObjectFormat, treeIdOf } from "../../../../operator/engine/git-objects.ts";
import { takeCacheSlot } from "../../../../operator/git/cache-lock.ts";
import { gitEnvironment } from "../../../../operator/git/git-environment.ts";
import { GitProcesses } from "../../../../operator/git/git-process.ts";
import type { FolderChange } from "../../../../operator/git/publish/commit-stream.ts";
import { GitCache } from "../../../../operator/git/publish/git-cache.ts";
import { FakeClock } from "../../../fakes/fake-clock.ts";

const environment = { PATH: process.env["PATH"] };

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function aCache(format: ObjectFormat = "sha1", directory = aFolder()): Promise<GitCache> {
  const clock = new FakeClock();
  const cache = await GitCache.open({
    directory,
    key: "remote branch",
    processes: new GitProcesses({ clock, timeoutMs: 60_000 }),
    clock,
    environment: (home) => gitEnvironment({ home, environment, protocol: "file" }),
  });
  if (format !== cache.format) await cache.rebuild(format);
  onTestFinished(() => cache.release());
  return cache;
}

const git = (cache: GitCache, ...command: string[]) =>
  execFileSync("git", command, {
    cwd: cache.directory,
    encoding: "utf8",
    env: { ...environment, HOME: cache.home },
  });

const aCommit = {
  parent: undefined,
  message: "m\n",
  committedAt: new Date(0),
  folders: [],
  files: new Map(),
};

describe("the tree writer", () => {
  const segment = fc.stringMatching(/^[a-z0-9_-][a-z0-9.-]{0,6}$/).filter((name) => !name.endsWith("."));
  const content = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.constantFrom("", "\n", "data 3\nfoo\n"),
  );
  const files = fc.dictionary(
    fc.array(segment, { minLength: 1, maxLength: 2 }).map((path) => path.join("/")),
    content,
    { maxKeys: 4 },
  );
  const folder = fc.constantFrom(
    "shop/a.b/x",
    "shop/a.b/y",
    "shop/a-b.c/x",
    "_cluster/a.b/z",
    'we"ird dir/a.b/ü',
  );
  const step = fc.dictionary(folder, fc.option(files, { nil: undefined }), { maxKeys: 4 });

  test.for(["sha1", "sha256"] as const)(
    "leaves on the branch exactly what was written, with ids as git computes them (%s)",
    async (format) => {
      const cache = await aCache(format);
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
          const model = new Map<string, FolderFiles>();
          let head = await cache.writeCommit({ ...aCommit, files: new Map([["other.txt", "theirs"]]) });
          for (const changes of steps) {
            const folders: FolderChange[] = [];
            for (const [path, wanted] of Object.entries(changes)) {
              const next = wanted === undefined ? undefined : withoutClashes(wanted);
              folders.push({ path, files: next });
              model.delete(path);
              if (next !== undefined && next.size > 0) model.set(path, next);
            }
            head = await cache.writeCommit({ ...aCommit, parent: head, folders });
          }

          const listed = git(cache, "ls-tree", "-r", "-z", "--name-only", head).split("\0").filter(Boolean);
          const wanted = [...model].flatMap(([path, below]) =>
            [...below.keys()].map((name) => `${path}/${name}`),
          );
          expect(listed.toSorted()).toEqual([...wanted, "other.txt"].toSorted());
          const view = await cache.readBranch(head, "");
          expect(view.trees).toEqual(
            new Map([...model].map(([path, below]) => [path, treeIdOf(below, format)])),
          );
        }),
        { numRuns: 12 },
      );
    },
  );
});

/** Leaves out paths that are below another one: no file system could hold both. */
function withoutClashes(files: Readonly<Record<string, string>>): FolderFiles {
  const paths = Object.keys(files);
  return new Map(
    Object.entries(files).filter(([path]) => !paths.some((other) => path.startsWith(`${other}/`))),
  );
}

describe("GitCache", () => {
  test("a commit on a parent that it does not have is an error, not a commit without a past", async () => {
    const cache = await aCache();
    await expect(cache.writeCommit({ ...aCommit, parent: "1".repeat(40) })).rejects.toMatchObject({
      reason: "CacheBroken",
    });
    await expect(cache.readBranch("1".repeat(40), "")).rejects.toMatchObject({ reason: "CacheBroken" });
    expect(await cache.has("1".repeat(40))).toBe(false);
  });

  test("many packs become one, and nothing is lost", async () => {
    const cache = await aCache();
    let head: string | undefined;
    for (let count = 0; count <= 41; count++) {
      head = await cache.writeCommit({ ...aCommit, parent: head, files: new Map([[`f${count}`, "x"]]) });
    }
    const packs = () =>
      readdirSync(join(cache.directory, "objects", "pack")).filter((name) => name.endsWith(".pack"));
    expect(packs().length).toBeGreaterThan(40);
    await cache.tidy();
    expect(packs()).toHaveLength(1);
    expect(
      git(cache, "ls-tree", "--name-only", head ?? "")
        .trim()
        .split("\n"),
    ).toHaveLength(42);
  });

  test("a folder that is no repository any more is made one again, also inside another repository", async () => {
    const outer = aFolder();
    execFileSync("git", ["init", "-q", outer]);
    const directory = join(outer, "cache");
    const first = await aCache("sha1", directory);
    rmSync(join(first.directory, "objects"), { recursive: true });
    await first.release();
    const cache = await aCache("sha1", directory);
    expect(await cache.has(await cache.writeCommit(aCommit))).toBe(true);
  });
});

describe("takeCacheSlot()", () => {
  test("gives each taker a folder of its own, and a freed one again", async () => {
    const base = join(aFolder(), "slot");
    const [one, two] = [await takeCacheSlot(base), await takeCacheSlot(base)];
    expect(two.directory).not.toBe(one.directory);
    await one.release();
    expect((await takeCacheSlot(base)).directory).toBe(one.directory);
  });

  test.for([
    { whose: "a process that is gone", lock: () => `${deadPid()} 1` },
    {
      whose: "the operator that had our pid before us in this container",
      lock: () => `${process.pid} 12345`,
    },
    { whose: "nobody who can be read", lock: () => "" },
  ])("takes over the lock of $whose", async ({ lock }) => {
    const base = join(aFolder(), "slot");
    mkdirSync(base, { mode: 0o700 });
    writeFileSync(join(base, "lock"), lock());
    expect((await takeCacheSlot(base)).directory).toMatch(/slot$/);
  });

  test("leaves the lock of a living process", async () => {
    const base = join(aFolder(), "slot");
    mkdirSync(base, { mode: 0o700 });
    writeFileSync(join(base, "lock"), `${process.ppid} 1`);
    expect((await takeCacheSlot(base)).directory).toMatch(/slot-1$/);
  });

  test("refuses a folder that others may write to, and a link to one", async () => {
    const base = join(aFolder(), "slot");
    mkdirSync(base);
    chmodSync(base, 0o777);
    await expect(takeCacheSlot(base)).rejects.toThrow(/other users may write/);
    symlinkSync(aFolder(), `${base}-link`);
    await expect(takeCacheSlot(`${base}-link`)).rejects.toThrow(/other users may write/);
  });
});

/** A pid that was in use just now, and is not. */
function deadPid(): number {
  return Number(execFileSync("sh", ["-c", "echo $$"], { encoding: "utf8" }));
}
