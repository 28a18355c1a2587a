import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addProgramSupport } from "../../../cli/image/add-program-support.ts";
import { bundleProgram } from "../../../cli/image/bundle-program.ts";
import { launcher } from "../../fakes/launcher.ts";

let folder = "";
let [inputs, files]: (readonly string[])[] = [];

// Not within the test: on a busy machine a build takes long.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-image-"));
  const entry = resolve(import.meta.dirname, "../../fakes/image-program.ts");
  [inputs, files] = await Promise.all([
    bundleProgram({ entry, outfile: join(folder, "fairlead.mjs") }),
    addProgramSupport(folder),
  ]);
}, 600_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

test("a bundle with these files beside it renders programs, with nothing else of the repository", async () => {
  expect(inputs?.filter((path) => /node_modules\/(esbuild|cdk8s|zod)/.test(path))).toEqual([]);
  expect(files?.filter((file) => !existsSync(join(folder, file)))).toEqual([]);
  if (launcher !== undefined) await copyFile(launcher, join(folder, "fairlead-launch"));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(folder, "fairlead.mjs")], {
    cwd: folder,
    env: {},
  });
  expect(stderr).toBe(launcher === undefined ? "" : join(folder, "fairlead-launch"));
  expect(JSON.parse(stdout)).toMatchObject([
    { kind: "ConfigMap", metadata: { name: "settings" }, data: { color: "blue" } },
  ]);
});
