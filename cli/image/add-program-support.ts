import { cp, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { buildLibraries } from "../../operator/sandbox/program/build-libraries.ts";
import { librariesFile } from "../../operator/sandbox/program/libraries.ts";

/**
 * Adds the files that Releases with programs need to the folder of the image's program: the libraries that programs
 * import, compiled, and esbuild, which is mostly an executable for this platform and so cannot be bundled.
 *
 * @returns The files, relative to the folder.
 */
export async function addProgramSupport(folder: string): Promise<readonly string[]> {
  const esbuild = dirname(dirname(new URL(import.meta.resolve("esbuild")).pathname));
  const binary = `@esbuild/${process.platform}-${process.arch}`;
  const packages = dirname(esbuild);
  const copied = [
    "esbuild/package.json",
    "esbuild/lib/main.js",
    `${binary}/package.json`,
    `${binary}/bin/esbuild`,
  ];
  for (const file of copied) {
    const target = join(folder, "node_modules", file);
    await mkdir(dirname(target), { recursive: true });
    await cp(join(packages, file), target);
  }
  const libraries = await buildLibraries(async (options) => {
    const { outputFiles = [] } = await build(options);
    return outputFiles[0]?.text ?? "";
  });
  await writeFile(join(folder, librariesFile), JSON.stringify(libraries));
  return [librariesFile, ...copied.map((file) => `node_modules/${file}`)];
}
