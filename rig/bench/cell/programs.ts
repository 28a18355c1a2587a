import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isUsableGo, readGoVersion, runGo } from "../../../cli/local-cluster/go.ts";
import { resolveLocations } from "../../../cli/local-cluster/locations.ts";
import { lockPathOf, withLock } from "../../../cli/local-cluster/lock.ts";
import { isExecutable } from "../../../cli/local-cluster/search-path.ts";

/** The Go programs of the rig. Each is a module in a folder of its name beside this file. */
export type ProgramName = "driver" | "podset-go";

export interface ProvideProgramOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly report: (line: string) => void;
}

/**
 * Returns the path of a Go program of the rig. Builds it if the cache does not contain a build of these sources.
 *
 * @throws Error if it has to be built and there is no Go 1.26 or newer on the PATH.
 */
export async function provideProgram(name: ProgramName, options: ProvideProgramOptions): Promise<string> {
  const { env, report } = options;
  const { cacheDirectory } = resolveLocations({ env, home: homedir(), platform: process.platform });
  const sourceDirectory = directoryOf(name);
  const directory = join(cacheDirectory, "bench", await readProgramKey(name, sourceDirectory));
  const program = join(directory, name);
  if (await isExecutable(program)) return program;
  const goVersion = await readGoVersion(env);
  if (goVersion === undefined || !isUsableGo(goVersion)) {
    throw new Error(
      `Cannot build "${name}": it needs Go 1.26 or newer on the PATH, found ${goVersion ?? "none"}`,
    );
  }
  await mkdir(dirname(directory), { recursive: true });
  await withLock(lockPathOf(directory), async () => {
    if (await isExecutable(program)) return;
    await removeDrafts(directory);
    // Build in another folder and rename it, so that no process reads an incomplete program.
    const draft = await mkdtemp(`${directory}.draft-`);
    try {
      await runGo(["build", "-v", "-trimpath", "-buildvcs=false", "-o", join(draft, name), "."], {
        directory: sourceDirectory,
        env,
        onProgress: ({ packages, current, elapsedMs }) =>
          report(
            `Building ${name}: ${Math.round(elapsedMs / 1_000)} s, ${packages} packages compiled ${current}`,
          ),
      });
      await rename(draft, directory);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  });
  return program;
}

/** The path of a file beside the sources of a program. */
export function programFile(name: ProgramName, file: string): string {
  return join(directoryOf(name), file);
}

/** The name of a program's cache folder. It depends on the sources and the platform. Pure. */
export function programKey(name: ProgramName, files: ReadonlyMap<string, string>, platform: string): string {
  const hash = createHash("sha256");
  for (const [file, text] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${file}\0${text.length}\0${text}`);
  }
  return `${name}-${platform}-${hash.digest("hex").slice(0, 12)}`;
}

async function readProgramKey(name: ProgramName, directory: string): Promise<string> {
  const files = new Map<string, string>();
  for (const file of await readdir(directory)) {
    if (/\.go$|^go\.(mod|sum)$/.test(file)) files.set(file, await readFile(join(directory, file), "utf8"));
  }
  return programKey(name, files, `${process.platform}-${process.arch}`);
}

/** Removes the folders of interrupted builds. Call it with the lock. */
async function removeDrafts(directory: string): Promise<void> {
  for (const entry of await readdir(dirname(directory))) {
    const path = join(dirname(directory), entry);
    if (path.startsWith(`${directory}.draft-`)) await rm(path, { recursive: true, force: true });
  }
}

function directoryOf(name: ProgramName): string {
  return fileURLToPath(new URL(`./${name}/`, import.meta.url));
}
