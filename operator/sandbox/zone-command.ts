import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ZoneCommand } from "../zones/zone-process.ts";
import { type LaunchRules, LISTENING, launchArguments, noOpensslFile } from "./launch-arguments.ts";

export interface ZoneCommandInput {
  /** Path of the process's own code. */
  readonly worker: string;
  /** V8's heap, in MiB, and the part of it for what was just made. */
  readonly heapMiB: number;
  readonly semiSpaceMiB?: number;
  /** Path of the socket that it listens on. */
  readonly socket: string;
  /** Flags of the worker beside that of its socket. Nothing in them is secret: other users see command lines. */
  readonly flags: readonly string[];
  /** The whole environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Path of the launcher; undefined: the process has no walls of the kernel, and makes its socket itself. */
  readonly launcher: string | undefined;
  /** What the process may do. Asked for only where there is a launcher. */
  readonly rules: () => LaunchRules;
}

/** The command line of a process of a zone, the only place that makes one. The launcher makes its socket, so that it needs not. */
export function zoneCommand(input: ZoneCommandInput): ZoneCommand {
  const { worker, heapMiB, semiSpaceMiB = 8, socket, flags, environment, launcher, rules } = input;
  const command = [
    process.execPath,
    `--max-old-space-size=${heapMiB}`,
    `--max-semi-space-size=${semiSpaceMiB}`,
    "--disable-sigusr1",
    "--no-warnings",
    noOpensslFile,
    worker,
    `--socket=${socket}`,
    ...flags,
  ];
  if (launcher === undefined) {
    const [file = "", ...words] = command;
    return { file, arguments: words, environment };
  }
  const words = launchArguments({ ...rules(), listen: socket }, [...command, `--socket-fd=${LISTENING}`]);
  return { file: launcher, arguments: words, environment };
}

/** Path of a zone's own code: in an image the bundle, in the repository the source, in a package what was compiled. */
export function workerIn(folder: string, bundle: string): string {
  const candidates = [bundle, "worker.ts", "worker.js"].map((name) => join(folder, name));
  return candidates.find((path) => existsSync(path)) ?? join(folder, bundle);
}
