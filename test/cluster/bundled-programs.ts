import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";

/** The programs of this folder, bundled as in an image: their start takes a third of the CPU time of sources. */
export interface BundledPrograms {
  /** Operators of other projects. They have no launcher of the sandbox, as if it were not installed. */
  readonly own: string;
  /** `fairlead`, with the launcher beside it. */
  readonly shipped: string;
  /** V8's compile cache, which all of them share. */
  readonly compileCache: string;
}

/** Paths in a folder. */
export function programsIn(folder: string): BundledPrograms {
  return {
    own: join(folder, "own"),
    shipped: join(folder, "shipped"),
    compileCache: join(folder, "compiled"),
  };
}

/**
 * The file from which a program runs: a bundle for one of this folder, and for `fairlead` (undefined); the source for
 * any other one.
 */
export function bundledPathOf(program: string | undefined, { own, shipped }: BundledPrograms): string {
  if (program === undefined) return join(shipped, "fairlead-program.mjs");
  if (dirname(program) !== import.meta.dirname) return program;
  return join(own, `${basename(program, ".ts")}.mjs`);
}

/** Bundles them, once per run. `remove` deletes them. */
export async function bundleTestPrograms(): Promise<{ programs: BundledPrograms; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-test-programs-"));
  const programs = programsIn(folder);
  await run(process.execPath, [join(import.meta.dirname, "bundle-programs.ts"), folder]);
  // Run a program to its end to fill the cache. A killed process does not write it.
  const env = { ...process.env, NODE_COMPILE_CACHE: programs.compileCache };
  const words = [bundledPathOf(undefined, programs), "run", "--no-such-option"];
  await run(process.execPath, words, { env }).catch(() => undefined);
  return { programs, remove: () => rm(folder, { recursive: true, force: true }) };
}

const run = promisify(execFile);
