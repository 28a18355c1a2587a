import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { addProgramSupport } from "../../../cli/image/add-program-support.ts";
import { bundleProgram } from "../../../cli/image/bundle-program.ts";
import { launcher } from "../../fakes/launcher.ts";

test("a bundle with these files beside it renders programs, with nothing else of the repository", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-image-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const outfile = join(folder, "fairlead.mjs");
  const entry = resolve(import.meta.dirname, "../../fakes/image-program.ts");
  const [inputs, files] = await Promise.all([bundleProgram({ entry, outfile }), addProgramSupport(folder)]);

  expect(inputs.filter((path) => /node_modules\/(esbuild|cdk8s|zod)/.test(path))).toEqual([]);
  expect(files.filter((file) => !existsSync(join(folder, file)))).toEqual([]);
  if (launcher !== undefined) await copyFile(launcher, join(folder, "fairlead-launch"));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [outfile], { cwd: folder, env: {} });
  expect(stderr).toBe(launcher === undefined ? "" : join(folder, "fairlead-launch"));
  expect(JSON.parse(stdout)).toMatchObject([
    { kind: "ConfigMap", metadata: { name: "settings" }, data: { color: "blue" } },
  ]);
});
