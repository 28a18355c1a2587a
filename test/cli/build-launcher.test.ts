import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildLauncher, launcherArchitectures } from "../../cli/launcher/build-launcher.ts";
import { launcher } from "../fakes/launcher.ts";

/** e_machine of elf(5). */
const machines: Readonly<Record<string, number>> = { x64: 62, arm64: 183 };
/** Type of the program header that names a loader. */
const PT_INTERP = 3;

function readElf(file: Buffer): { readonly machine: number; readonly isStatic: boolean } {
  const [offset, size, count] = [
    Number(file.readBigUInt64LE(32)),
    file.readUInt16LE(54),
    file.readUInt16LE(56),
  ];
  const types = Array.from({ length: count }, (_, index) => file.readUInt32LE(offset + index * size));
  return { machine: file.readUInt16LE(18), isStatic: !types.includes(PT_INTERP) };
}

describe.runIf(launcher !== undefined)("buildLauncher()", () => {
  const architectures = Object.keys(launcherArchitectures);
  const built = new Map<string, readonly Buffer[]>();
  let folder = "";

  // Not within a test: on a busy machine the first build, which compiles Go's own packages, takes long.
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "fairlead-launcher-"));
    const build = async (arch: string, name: string): Promise<Buffer> => {
      const outfile = join(folder, arch, name, "fairlead-launch");
      await buildLauncher({ arch, outfile, env: process.env });
      return readFile(outfile);
    };
    for (const arch of architectures)
      built.set(arch, [await build(arch, "first"), await build(arch, "second")]);
  }, 1_800_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test.for(architectures)("builds a static program for %s, always the same bytes", (arch) => {
    const [first = Buffer.alloc(0), second] = built.get(arch) ?? [];
    expect(readElf(first)).toEqual({ machine: machines[arch], isStatic: true });
    expect(first.length).toBeLessThan(2 * 2 ** 20);
    expect(second?.equals(first)).toBe(true);
  });

  test("reports what it needs if there is no Go", async () => {
    const build = buildLauncher({ arch: "x64", outfile: join(tmpdir(), "none"), env: { PATH: "" } });
    await expect(build).rejects.toThrow(
      "Cannot build the launcher of the sandbox: Go 1.26 or later is needed, found none",
    );
  });
});
