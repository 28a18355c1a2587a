import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { writeImageFiles } from "../../../cli/image/write-image-files.ts";
import { launcher } from "../../fakes/launcher.ts";

let folder = "";

// Not within the test: on a busy machine a build takes long.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-image-"));
  if (launcher !== undefined) await writeImageFiles(folder, process.env);
}, 600_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

test.runIf(launcher !== undefined)(
  "the image's folder contains the program, the processes of the zones, the libraries of programs, the bundler and the launcher",
  async () => {
    const files = (await readdir(folder)).filter((name) => !/^part-[A-Z0-9]+\.mjs$/.test(name));
    expect(files.toSorted()).toEqual([
      "fairlead-launch",
      "fairlead.mjs",
      "node_modules",
      "program-libraries.json",
      "publish-worker.mjs",
      "sandbox-worker.mjs",
      "source-worker.mjs",
    ]);
    const { stdout } = await promisify(execFile)(join(folder, "fairlead-launch"), ["--report"]);
    expect(JSON.parse(stdout)).toMatchObject({ uid: expect.any(Number) });
  },
);

test.runIf(process.platform === "linux")("without a launcher and without Go no image is built", async () => {
  const empty = await mkdtemp(join(tmpdir(), "fairlead-image-"));
  onTestFinished(() => rm(empty, { recursive: true }));
  await expect(writeImageFiles(join(empty, "image"), { PATH: "", FAIRLEAD_CACHE: empty })).rejects.toThrow(
    "Cannot write the image's files: Go 1.26 or later is needed for the launcher of the sandbox",
  );
});
