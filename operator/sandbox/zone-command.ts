import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ZoneCommand } from "../zones/zone-process.ts";
import { type LaunchRules, LISTENING, launchArguments, noOpensslFile } from "./launch-arguments.ts";

export interface ZoneCommandInput {
  /** Path of the process's own code. */
  readonly worker: string;
  /** Size of V8's heap and of its young generation, in MiB. */
  readonly heapMiB: number;
  readonly semiSpaceMiB?: number;
  /** Path of the socket that it listens on. */
  readonly socket: string;
  /**
   * Flags of the worker in addition to that of its socket. None of them is secret, because other users can read command
   * lines.
   */
  readonly flags: readonly string[];
  /** The whole environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Path of the launcher; undefined: the process has no kernel isolation, and creates its socket itself. */
  readonly launcher: string | undefined;
  /** Permissions of the process. Called only if there is a launcher. */
  readonly rules: () => LaunchRules;
}

/**
 * The command line of a process of a zone. All zones use it. The launcher creates the socket, so that the process needs
 * no permission for that.
 */
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

/** Path of a zone's own code: in an image the bundle, in the repository the source, in a package the compiled file. */
export function workerIn(folder: string, bundle: string): string {
  const candidates = [bundle, "worker.ts", "worker.js"].map((name) => join(folder, name));
  return candidates.find((path) => existsSync(path)) ?? join(folder, bundle);
}
