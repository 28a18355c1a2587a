import { systemClock } from "../runtime/clock.ts";
import { findLauncher } from "../sandbox/find-launcher.ts";
import { probeKernelIsolation } from "../sandbox/kernel-isolation.ts";
import { createLogger, type LogLevel } from "../telemetry/log.ts";
import { untilTerminated } from "../zones/zone-process.ts";
import type { GitZoneOptions, GitZoneProcess, GitZoneProcessOptions } from "./git-zone.ts";

/** Flags of the main process of each zone that runs git. */
export const gitZoneFlags = {
  sockets: { type: "string" },
  cache: { type: "string" },
  "require-isolation": { type: "boolean", default: false },
  "log-level": { type: "string", default: "info" },
  "log-format": { type: "string" },
} as const;

export interface GitZoneMainInput {
  /** Name of the zone. */
  readonly name: string;
  /** Values of {@link gitZoneFlags}. */
  readonly values: {
    readonly sockets?: string | undefined;
    readonly cache?: string | undefined;
    readonly "require-isolation": boolean;
    readonly "log-level": string;
    readonly "log-format"?: string | undefined;
  };
  /** Describes invalid flags of this zone. */
  readonly problem: string | undefined;
  /** The environment of this process. */
  readonly environment: GitZoneProcessOptions["environment"];
  readonly start: (options: GitZoneOptions, processOptions: GitZoneProcessOptions) => GitZoneProcess;
}

/**
 * The main process of a zone that has a container of its own: keeps the zone's process running until SIGTERM. It reads
 * none of the data that the process reads, so that no repository can end the container.
 *
 * @returns The exit code.
 */
export async function runGitZone(input: GitZoneMainInput): Promise<number> {
  const { name, values, problem, environment, start } = input;
  const { sockets = "", cache = "", "log-level": logLevel, "log-format": logFormat } = values;
  const clock = systemClock();
  const log = createLogger({
    clock,
    level: logLevel as LogLevel,
    format: logFormat as "text" | "json",
  });
  if (problem !== undefined) {
    log.error("Cannot run a zone", { zone: name, reason: problem });
    return 1;
  }
  log.info("Starting a zone", { zone: name, sockets, cache });
  const isolation = await probeKernelIsolation(findLauncher());
  const requireIsolation = values["require-isolation"];
  const zone = start(
    { folder: sockets, cache, isolation, requireIsolation, logLevel, logFormat },
    { environment, clock, random: Math.random, log },
  );
  await untilTerminated();
  await zone.end();
  return 0;
}
