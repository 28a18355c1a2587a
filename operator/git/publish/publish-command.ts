import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ZoneCommand } from "../../zones/zone-process.ts";
import { variablesForGit } from "../git-environment.ts";

/** Name of the bundle of worker.ts in an image, beside the program. */
export const publishWorkerFile = "publish-worker.mjs";

/** V8's heap of the process, in MiB. */
const HEAP_MIB = 128;

/** What the process of the publish zone is started with. Nothing in it is secret: other users see command lines. */
export interface PublishWorkerOptions {
  /** Folder of its socket. */
  readonly folder: string;
  /** Folder of the clones. */
  readonly cache: string;
  /** URL of the repository. */
  readonly repository: string;
  /** Folder with the credentials of the repository; undefined: it needs none. */
  readonly credentials: string | undefined;
  readonly logLevel: string;
  readonly logFormat: string | undefined;
}

/** Path of the socket that the process listens on. */
export function publishSocketIn(folder: string): string {
  return join(folder, "publish.sock");
}

/** The command line of the process of the publish zone. */
export function publishWorkerCommand(
  { folder, cache, repository, credentials, logLevel, logFormat }: PublishWorkerOptions,
  environment: Readonly<Record<string, string | undefined>>,
): ZoneCommand {
  return {
    file: process.execPath,
    arguments: [
      `--max-old-space-size=${HEAP_MIB}`,
      "--max-semi-space-size=4",
      "--disable-sigusr1",
      "--no-warnings",
      workerPath(),
      `--socket=${publishSocketIn(folder)}`,
      `--cache=${cache}`,
      `--repository=${repository}`,
      ...(credentials === undefined ? [] : [`--credentials=${credentials}`]),
      `--log-level=${logLevel}`,
      ...(logFormat === undefined ? [] : [`--log-format=${logFormat}`]),
    ],
    environment: { TZ: "UTC", ...variablesForGit(environment) },
  };
}

/** In an image the bundle, in the repository the source, in a package what was compiled. */
function workerPath(): string {
  const candidates = [publishWorkerFile, "worker.ts", "worker.js"].map((name) =>
    join(import.meta.dirname, name),
  );
  return candidates.find((path) => existsSync(path)) ?? candidates[0] ?? publishWorkerFile;
}
