import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findLauncher, launcherFile } from "../../operator/sandbox/find-launcher.ts";
import { isUsableGo, readGoVersion, runGo } from "../local-cluster/go.ts";
import { resolveLocations } from "../local-cluster/locations.ts";
import { lockPathOf, withLock } from "../local-cluster/lock.ts";

const sources = fileURLToPath(new URL("../../operator/sandbox/launcher/", import.meta.url));

/** Node's name of each supported architecture, and Go's. */
export const launcherArchitectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

/** The same sources and the same Go version produce the same bytes. */
export const launcherFlags = ["-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid="];

export interface BuildLauncherInput {
  /** Node's name of the architecture. */
  readonly arch: string;
  readonly outfile: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Builds the launcher for Linux.
 *
 * @throws Error that names what is missing in Go, or with its output.
 */
export async function buildLauncher({ arch, outfile, env }: BuildLauncherInput): Promise<void> {
  const version = await readGoVersion(env);
  if (version === undefined || !isUsableGo(version))
    throw new Error(
      `Cannot build the launcher of the sandbox: Go 1.26 or later is needed, found ${version ?? "none"}`,
    );
  await mkdir(dirname(outfile), { recursive: true });
  await runGo(["build", "-v", ...launcherFlags, "-o", outfile, "."], {
    directory: sources,
    env: { ...env, GOOS: "linux", GOARCH: launcherArchitectures[arch] ?? arch },
    onProgress: () => {},
  });
}

/**
 * Finds the installed launcher, or in a clone of the repository builds it once, which takes seconds.
 *
 * @returns Its path; undefined if there is none: not on Linux, or no Go to build it with.
 */
export async function provideLauncher(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const installed = findLauncher();
  if (installed !== undefined) return installed;
  if (process.platform !== "linux" || !(process.arch in launcherArchitectures)) return undefined;
  if (!existsSync(join(sources, "go.mod"))) return undefined;
  const { cacheDirectory } = resolveLocations({ env, home: homedir(), platform: process.platform });
  const directory = join(cacheDirectory, "launcher", `${await digestOfSources()}-${process.arch}`);
  const launcher = join(directory, launcherFile);
  if (existsSync(launcher)) return launcher;
  if (!isUsableGo((await readGoVersion(env)) ?? "")) return undefined;
  await withLock(lockPathOf(directory), async () => {
    if (existsSync(launcher)) return;
    const draft = await mkdtemp(`${directory}.draft-`);
    try {
      await buildLauncher({ arch: process.arch, outfile: join(draft, launcherFile), env });
      await rename(draft, directory);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  });
  return launcher;
}

async function digestOfSources(): Promise<string> {
  const hash = createHash("sha256").update(launcherFlags.join("\n"));
  for (const name of (await readdir(sources)).toSorted()) {
    hash.update(name).update(await readFile(join(sources, name)));
  }
  return hash.digest("hex").slice(0, 16);
}
