import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { esbuildVariables, findEsbuild } from "../../../operator/sandbox/esbuild-command.ts";
import { noKernelIsolation } from "../../../operator/sandbox/kernel-isolation.ts";
import { kernelIsolation, launcher } from "../../fakes/launcher.ts";

const program = findEsbuild() ?? "";
const run = promisify(execFile);

test("esbuildVariables() changes nothing without a launcher", () => {
  expect(esbuildVariables({ isolation: noKernelIsolation("none"), program, read: [] })).toEqual({});
});

describe.runIf(launcher !== undefined)("esbuild with isolation", () => {
  async function aFile(): Promise<{ folder: string; file: string }> {
    const folder = await mkdtemp(join(tmpdir(), "fairlead-esbuild-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, "secret.txt");
    await writeFile(file, "t0ken");
    // Its mode allows everyone to read it.
    await chmod(folder, 0o755);
    return { folder, file };
  }
  const start = async (words: readonly string[], read: readonly string[] = []): Promise<string> => {
    const env = esbuildVariables({ isolation: kernelIsolation, program, read });
    return (await run(launcher ?? "", words, { cwd: "/", env })).stdout;
  };

  test("runs as esbuild", async () => {
    expect(await start(["--version"])).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test("reads only the files in its arguments", async () => {
    const { folder, file } = await aFile();
    expect((await run(program, [file])).stdout).toContain("t0ken");
    expect(await start([file], [folder])).toContain("t0ken");
    await expect(start([file])).rejects.toMatchObject({
      stderr: expect.stringMatching(/permission denied|Could not resolve|Could not read/i),
    });
  });

  test("serves nothing on the network", async () => {
    await expect(start(["--serve=127.0.0.1:0", "--servedir=/"], ["/"])).rejects.toMatchObject({
      stderr: expect.stringContaining("operation not permitted"),
    });
  });
});
