import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";

/** The programs of this folder, bundled as an image has its own: they start with a third of the work that sources take. */
export interface BundledPrograms {
  /** Operators of somebody's own. They have no launcher of the sandbox, as where it is not installed. */
  readonly own: string;
  /** `fairlead`, with the launcher beside it. */
  readonly shipped: string;
  /** Compiled code, which all of them share. */
  readonly compileCache: string;
}

/** Where they are in a folder. */
export function programsIn(folder: string): BundledPrograms {
  return {
    own: join(folder, "own"),
    shipped: join(folder, "shipped"),
    compileCache: join(folder, "compiled"),
  };
}

/** Where a program runs from: one of this folder, and `fairlead` (undefined), as a bundle; any other one as it is. */
export function bundledPathOf(program: string | undefined, { own, shipped }: BundledPrograms): string {
  if (program === undefined) return join(shipped, "fairlead-program.mjs");
  if (dirname(program) !== import.meta.dirname) return program;
  return join(own, `${basename(program, ".ts")}.mjs`);
}

/** Bundles them, once for a run. `remove` deletes them. */
export async function bundleTestPrograms(): Promise<{ programs: BundledPrograms; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-test-programs-"));
  const programs = programsIn(folder);
  await run(process.execPath, [join(import.meta.dirname, "bundle-programs.ts"), folder]);
  // Fills the cache, which one that is killed never does.
  const env = { ...process.env, NODE_COMPILE_CACHE: programs.compileCache };
  const words = [bundledPathOf(undefined, programs), "run", "--no-such-option"];
  await run(process.execPath, words, { env }).catch(() => undefined);
  return { programs, remove: () => rm(folder, { recursive: true, force: true }) };
}

const run = promisify(execFile);
