import { mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { BinariesMissingError, type BinarySource, planBinaries } from "./binary-plan.ts";
import { type BuildProgress, isUsableGo, readGoVersion, runGo } from "./go.ts";
import type { Locations } from "./locations.ts";
import { lockPathOf, withLock } from "./lock.ts";
import { requireWritable } from "./preconditions.ts";
import { isExecutable } from "./search-path.ts";
import {
  BINARY_NAMES,
  type BinaryName,
  binariesOf,
  cacheKey,
  goBuildArguments,
  moduleOf,
  pinnedVersion,
  TOOL_MODULES,
  type ToolModule,
} from "./tool-modules.ts";

/** Paths of the control plane's binaries on this machine. */
export interface Binaries {
  readonly paths: ReadonlyMap<BinaryName, string>;
  readonly sources: ReadonlyMap<BinaryName, BinarySource>;
}

export interface ProvideBinariesOptions {
  readonly locations: Locations;
  readonly env: NodeJS.ProcessEnv;
  /** Binaries that every cluster requires. */
  readonly required: readonly BinaryName[];
  /** Binaries that are optional if they neither exist nor can be built. */
  readonly optional?: readonly BinaryName[];
  readonly report: (line: string) => void;
  /** Aborts a running build. */
  readonly signal?: AbortSignal;
}

const MODULES_DIRECTORY = fileURLToPath(new URL("./modules/", import.meta.url));

/**
 * Finds or builds the binaries, in this order: `KUBEBUILDER_ASSETS`, the cache, a build with Go.
 *
 * @throws BinariesMissingError if a required one is found in none of these.
 */
export async function provideBinaries(options: ProvideBinariesOptions): Promise<Binaries> {
  const { locations, env, required, optional = [], report, signal } = options;
  const { assetsDirectory } = locations;
  const inAssets =
    assetsDirectory === undefined ? new Set<BinaryName>() : await listExecutables(assetsDirectory);
  const directories = new Map<string, string>();
  const cachedModules = new Set<string>();
  for (const module of TOOL_MODULES) {
    const directory = join(locations.cacheDirectory, "local-cluster", await readCacheKey(module));
    directories.set(module.name, directory);
    if (await isExecutable(directory)) cachedModules.add(module.name);
  }
  const needed = [...required, ...optional];
  const goVersion = await readGoVersion(env);
  const canBuild = goVersion !== undefined && isUsableGo(goVersion);
  const sources = planBinaries({ needed, inAssets, cachedModules, canBuild });

  const missing = required.filter((name) => sources.get(name) === "missing");
  if (missing.length > 0) throw new BinariesMissingError(missing, goVersion);
  for (const module of TOOL_MODULES) {
    if (!binariesOf(module).some((name) => sources.get(name) === "build")) continue;
    await buildModule(module, { directory: directories.get(module.name) ?? "", env, report, signal });
  }

  const paths = new Map<BinaryName, string>();
  for (const [name, source] of sources) {
    if (source === "missing") continue;
    const directory =
      source === "KUBEBUILDER_ASSETS" ? assetsDirectory : directories.get(moduleOf(name).name);
    paths.set(name, join(directory ?? "", name));
  }
  report(describeSources(sources));
  return { paths, sources };
}

/** One line with the origin of each binary. Pure. */
export function describeSources(sources: ReadonlyMap<BinaryName, BinarySource>): string {
  const bySource = Map.groupBy(sources, ([, source]) => source);
  const parts = [...bySource].map(
    ([source, entries]) => `${entries.map(([name]) => name).join(", ")} (${source})`,
  );
  return `Binaries: ${parts.join("; ")}`;
}

interface BuildModuleOptions {
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
  readonly report: (line: string) => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * Builds into a temporary folder and renames it: no process sees an incomplete binary, and a concurrent run waits for
 * the first.
 */
async function buildModule(
  module: ToolModule,
  { directory, env, report, signal }: BuildModuleOptions,
): Promise<void> {
  const cache = dirname(directory);
  await requireWritable(cache, { variable: "FAIRLEAD_CACHE" });
  const onWait = ({ pid }: { pid: number }) =>
    report(`${module.name}: waiting for process ${pid}, which is building it`);
  await withLock(
    lockPathOf(directory),
    async () => {
      if (await isExecutable(directory)) return;
      await removeLeftovers(directory);
      const moduleDirectory = join(MODULES_DIRECTORY, module.name);
      const version = pinnedVersion(module, await readFile(join(moduleDirectory, "go.mod"), "utf8"));
      const onProgress = (progress: BuildProgress) => report(describeBuild(module, version, progress));
      const draft = await mkdtemp(`${directory}.draft-`);
      try {
        await runGo(goBuildArguments(module, version, draft), {
          directory: moduleDirectory,
          env,
          onProgress,
          ...(signal && { signal }),
        });
        await rename(draft, directory);
      } finally {
        await rm(draft, { recursive: true, force: true });
      }
    },
    { onWait },
  );
}

function describeBuild(
  module: ToolModule,
  version: string,
  { packages, current, elapsedMs }: BuildProgress,
): string {
  const seconds = Math.round(elapsedMs / 1000);
  const elapsed = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return `Building ${binariesOf(module).join(", ")} ${version}: ${elapsed} min, ${packages} packages compiled ${current}`;
}

async function readCacheKey(module: ToolModule): Promise<string> {
  const directory = join(MODULES_DIRECTORY, module.name);
  const goMod = await readFile(join(directory, "go.mod"), "utf8");
  const goSum = await readFile(join(directory, "go.sum"), "utf8");
  return cacheKey({ module, goMod, goSum, platform: process.platform, arch: process.arch });
}

/** Removes temporary folders of interrupted builds. Call it while holding the lock. */
async function removeLeftovers(directory: string): Promise<void> {
  const cache = dirname(directory);
  for (const entry of await readdir(cache)) {
    const path = join(cache, entry);
    if (path.startsWith(`${directory}.draft-`)) await rm(path, { recursive: true, force: true });
  }
}

async function listExecutables(directory: string): Promise<Set<BinaryName>> {
  const found = new Set<BinaryName>();
  for (const name of BINARY_NAMES) if (await isExecutable(join(directory, name))) found.add(name);
  return found;
}
