import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { localFiles } from "../../../operator/render/local-files.ts";

describe("localFiles()", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "fairlead-local-files-"));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  test("lists a folder like that of a commit, and reads by git's ids", async () => {
    await mkdir(join(folder, "web/deep"), { recursive: true });
    for (const skipped of [".git", "node_modules"]) {
      await mkdir(join(folder, skipped));
      await writeFile(join(folder, skipped, "config"), "x");
    }
    await writeFile(join(folder, ".gitignore"), "*.yaml\n");
    await writeFile(join(folder, "web/deep/a.yaml"), "hello\n");
    await writeFile(join(folder, "web.yaml"), "");
    await symlink("web.yaml", join(folder, "link.yaml"));
    const files = localFiles(folder);
    const hello = "ce013625030ba8dba906f756967f9e9ca394464a";
    const empty = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
    expect(await files.list()).toEqual({
      files: [
        { path: ".gitignore", blob: expect.stringMatching(/^[0-9a-f]{40}$/), size: 7 },
        { path: "web.yaml", blob: empty, size: 0 },
        { path: "web/deep/a.yaml", blob: hello, size: 6 },
      ],
      refused: [{ path: "link.yaml", what: "symlink" }],
    });
    expect(await files.read([hello, empty, hello])).toEqual(
      new Map([
        [hello, Buffer.from("hello\n")],
        [empty, Buffer.from("")],
      ]),
    );
    await expect(files.read(["0".repeat(40)])).rejects.toMatchObject({ reason: "SourceNotFound" });
  });

  test("reports a missing folder", async () => {
    await expect(localFiles(join(folder, "nothing")).list()).rejects.toMatchObject({
      reason: "SourceNotFound",
      message: expect.stringContaining("ENOENT"),
    });
  });
});
