import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { type FolderFiles, type ObjectFormat, treeIdOf } from "../../../../operator/engine/git-objects.ts";
import { takeCacheSlot } from "../../../../operator/git/cache-lock.ts";
import {
  type CommitInput,
  commitStream,
  type FolderChange,
} from "../../../../operator/git/publish/commit-stream.ts";
import { LocalClone } from "../../../../operator/git/publish/local-clone.ts";
import { FakeClock } from "../../../fakes/fake-clock.ts";
import { limitRuns } from "../../../long.ts";

const environment = { PATH: process.env["PATH"] };

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function aClone(format: ObjectFormat = "sha1", cacheDirectory = aFolder()) {
  const clone = new LocalClone({
    repository: "/nowhere",
    branch: "main",
    root: "",
    credentialsDirectory: undefined,
    cacheDirectory,
    clock: new FakeClock(),
    environment,
  });
  await clone.open();
  if (format !== clone.format) await clone.rebuild(format);
  onTestFinished(() => clone.close());
  const [slot = ""] = readdirSync(cacheDirectory);
  const home = join(cacheDirectory, slot);
  const directory = join(home, "repository.git");
  const git = (...command: string[]) =>
    execFileSync("git", command, {
      cwd: directory,
      encoding: "utf8",
      env: { ...environment, HOME: home },
    });
  const writeCommit = (commit: CommitInput): Promise<string> =>
    clone.endCommit(Buffer.from([...commitStream(commit)].join("")), { isFirst: true });
  return { clone, git, writeCommit, directory };
}

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
    "writes exactly the given files to the branch, with ids as git computes them (%s)",
    async (format) => {
      const { clone, git, writeCommit } = await aClone(format);
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
          const model = new Map<string, FolderFiles>();
          let head = await writeCommit({ ...aCommit, files: new Map([["other.txt", "theirs"]]) });
          for (const changes of steps) {
            const folders: FolderChange[] = [];
            for (const [path, wanted] of Object.entries(changes)) {
              const next = wanted === undefined ? undefined : withoutClashes(wanted);
              folders.push({ path, files: next });
              model.delete(path);
              if (next !== undefined && next.size > 0) model.set(path, next);
            }
            head = await writeCommit({ ...aCommit, parent: head, folders });
          }

          const listed = git("ls-tree", "-r", "-z", "--name-only", head).split("\0").filter(Boolean);
          const wanted = [...model].flatMap(([path, below]) =>
            [...below.keys()].map((name) => `${path}/${name}`),
          );
          expect(listed.toSorted()).toEqual([...wanted, "other.txt"].toSorted());
          const view = await clone.readBranch(head);
          expect(view.trees).toEqual(
            new Map([...model].map(([path, below]) => [path, treeIdOf(below, format)])),
          );
        }),
        { numRuns: limitRuns(12) },
      );
    },
  );
});

/** Omits paths below another path, which no file system could store. */
function withoutClashes(files: Readonly<Record<string, string>>): FolderFiles {
  const paths = Object.keys(files);
  return new Map(
    Object.entries(files).filter(([path]) => !paths.some((other) => path.startsWith(`${other}/`))),
  );
}

describe("LocalClone", () => {
  test("a commit on a parent that it does not have is an error, not a commit without history", async () => {
    const { clone, writeCommit } = await aClone();
    await expect(writeCommit({ ...aCommit, parent: "1".repeat(40) })).rejects.toMatchObject({
      reason: "CacheBroken",
    });
    await expect(clone.readBranch("1".repeat(40))).rejects.toMatchObject({ reason: "CacheBroken" });
    expect(await clone.has("1".repeat(40))).toBe(false);
  });

  test("many packs become one, and nothing is lost", async () => {
    const { clone, git, writeCommit, directory } = await aClone();
    let head: string | undefined;
    for (let count = 0; count <= 41; count++) {
      head = await writeCommit({ ...aCommit, parent: head, files: new Map([[`f${count}`, "x"]]) });
    }
    const packs = () =>
      readdirSync(join(directory, "objects", "pack")).filter((name) => name.endsWith(".pack"));
    expect(packs().length).toBeGreaterThan(40);
    await clone.tidy();
    expect(packs()).toHaveLength(1);
    expect(
      git("ls-tree", "--name-only", head ?? "")
        .trim()
        .split("\n"),
    ).toHaveLength(42);
  });

  test("a folder that is no longer a repository is initialized again, also inside another repository", async () => {
    const outer = aFolder();
    execFileSync("git", ["init", "-q", outer]);
    const directory = join(outer, "cache");
    const first = await aClone("sha1", directory);
    rmSync(join(first.directory, "objects"), { recursive: true });
    await first.clone.close();
    const { clone, writeCommit } = await aClone("sha1", directory);
    expect(await clone.has(await writeCommit(aCommit))).toBe(true);
  });
});

describe("takeCacheSlot()", () => {
  test("uses a separate folder for each process, and reuses a released one", async () => {
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

  test("keeps the lock of a running process", async () => {
    const base = join(aFolder(), "slot");
    mkdirSync(base, { mode: 0o700 });
    writeFileSync(join(base, "lock"), `${process.ppid} 1`);
    expect((await takeCacheSlot(base)).directory).toMatch(/slot-1$/);
  });

  test("rejects a folder that others may write to, and a link to one", async () => {
    const base = join(aFolder(), "slot");
    mkdirSync(base);
    chmodSync(base, 0o777);
    await expect(takeCacheSlot(base)).rejects.toThrow(/other users may write/);
    symlinkSync(aFolder(), `${base}-link`);
    await expect(takeCacheSlot(`${base}-link`)).rejects.toThrow(/other users may write/);
  });
});

/** A pid that was in use recently, and is not now. */
function deadPid(): number {
  return Number(execFileSync("sh", ["-c", "echo $$"], { encoding: "utf8" }));
}
