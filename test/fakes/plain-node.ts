import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { librariesFile } from "../../operator/sandbox/program/libraries.ts";
import { buildText } from "./build-text.ts";

/**
 * Flags of the process that runs programs which deny them Node's functions
 * (operator/sandbox/program/sandbox-arguments.ts).
 */
const innerIsolation = [
  "--permission",
  "--no-experimental-sqlite",
  "--no-experimental-webstorage",
  "--no-addons",
  "--disable-sigusr1",
  "--disallow-code-generation-from-strings",
  "--max-wasm-functions=0",
  "--wasm-max-mem-pages=0",
  "--wasm-max-table-size=0",
  "--freeze-flags-after-init",
];

/**
 * Changes a folder of bundled files (of an image, or of the command) so that programs run in a plain Node, as after a
 * complete escape: no permission model, no context, no flags. Everything outside of that process stays as it is.
 *
 * @throws Error if the folder's files are not the expected ones.
 */
export async function removeInnerIsolation(folder: string): Promise<void> {
  let removed = 0;
  for (const name of (await readdir(folder)).filter((file) => file.endsWith(".mjs"))) {
    const text = await readFile(join(folder, name), "utf8");
    if (!text.includes(`"${innerIsolation[0]}",`)) continue;
    const [first, ...others] = innerIsolation.map((flag) => text.split(`"${flag}",`).length - 1);
    if (first !== 1 || others.some((count) => count !== 1))
      throw new Error(`Cannot remove the isolation inside of programs' processes: ${name} has other flags`);
    await writeFile(
      join(folder, name),
      innerIsolation.reduce((code, flag) => code.replace(`"${flag}",`, ""), text),
    );
    removed += 1;
  }
  if (removed !== 1)
    throw new Error(`Expected one file with the flags of programs' processes, found ${removed}`);
  const runner = await buildText({
    entryPoints: [join(import.meta.dirname, "plain-runner.ts")],
    bundle: true,
    write: false,
    platform: "node",
    format: "cjs",
    target: "node26",
  });
  const warmUp = "__fairlead.program(() => ({ default: () => [] }));";
  await writeFile(join(folder, librariesFile), JSON.stringify({ runner, libraries: [], warmUp }));
}
