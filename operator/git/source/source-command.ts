import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ZoneCommand } from "../../zones/zone-process.ts";
import { variablesForGit } from "../git-environment.ts";

/** Name of the bundle of worker.ts in an image, beside the program. */
export const sourceWorkerFile = "source-worker.mjs";

/** V8's heap of the process, in MiB. */
const HEAP_MIB = 384;

/** What the process of the source zone is started with. Nothing in it is secret: other users see command lines. */
export interface SourceWorkerOptions {
  /** Folder of its socket. */
  readonly folder: string;
  /** Folder of the clones. */
  readonly cache: string;
  /** Most that all clones may take, in bytes. */
  readonly cacheBytes: number;
  /** Path of the launcher that puts walls around git's processes; undefined: there is none. */
  readonly launcher: string | undefined;
  /** Whether repositories on this machine may be used. */
  readonly allowFile: boolean;
  /** Address and folder of secrets of the hooks; undefined: none are served. */
  readonly hooks: { readonly address: string; readonly secrets: string } | undefined;
  readonly logLevel: string;
  readonly logFormat: string | undefined;
}

/** Path of the socket that the process listens on. */
export function sourceSocketIn(folder: string): string {
  return join(folder, "source.sock");
}

/** The command line of the process of the source zone. */
export function sourceWorkerCommand(
  { folder, cache, cacheBytes, launcher, allowFile, hooks, logLevel, logFormat }: SourceWorkerOptions,
  environment: Readonly<Record<string, string | undefined>>,
): ZoneCommand {
  return {
    file: process.execPath,
    arguments: [
      `--max-old-space-size=${HEAP_MIB}`,
      "--max-semi-space-size=8",
      "--disable-sigusr1",
      "--no-warnings",
      workerPath(),
      `--socket=${sourceSocketIn(folder)}`,
      `--cache=${cache}`,
      `--cache-bytes=${cacheBytes}`,
      ...(launcher === undefined ? [] : [`--launcher=${launcher}`]),
      ...(allowFile ? ["--file-remotes"] : []),
      ...(hooks === undefined
        ? []
        : [`--hook-bind-address=${hooks.address}`, `--hook-secrets=${hooks.secrets}`]),
      `--log-level=${logLevel}`,
      ...(logFormat === undefined ? [] : [`--log-format=${logFormat}`]),
    ],
    environment: { TZ: "UTC", ...variablesForGit(environment) },
  };
}

/** In an image the bundle, in the repository the source, in a package what was compiled. */
function workerPath(): string {
  const candidates = [sourceWorkerFile, "worker.ts", "worker.js"].map((name) =>
    join(import.meta.dirname, name),
  );
  return candidates.find((path) => existsSync(path)) ?? candidates[0] ?? sourceWorkerFile;
}
