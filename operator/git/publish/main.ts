import { parseArgs } from "node:util";
import { systemClock } from "../../runtime/clock.ts";
import { findLauncher } from "../../sandbox/find-launcher.ts";
import { probeKernelWalls } from "../../sandbox/kernel-walls.ts";
import { createLogger, type LogLevel } from "../../telemetry/log.ts";
import { untilTerminated } from "../../zones/zone-process.ts";
import { parseRemoteUrl } from "../remote-url.ts";
import { startPublishProcess } from "./publish-process.ts";

/**
 * The main process of the publish zone where it has a container of its own: keeps the zone's process running until SIGTERM.
 *
 * @param argv Words behind `zone publish`.
 * @returns The exit code.
 */
export async function runPublishZone(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      sockets: { type: "string" },
      cache: { type: "string" },
      repository: { type: "string" },
      credentials: { type: "string" },
      "require-walls": { type: "boolean", default: false },
      "log-level": { type: "string", default: "info" },
      "log-format": { type: "string" },
    },
  });
  const { sockets, cache, repository, credentials, "log-level": logLevel, "log-format": logFormat } = values;
  const clock = systemClock();
  const log = createLogger({ clock, level: logLevel as LogLevel, format: logFormat as "text" | "json" });
  if (sockets === undefined || cache === undefined || repository === undefined) {
    const reason = "--sockets, --cache and --repository are needed";
    log.error("Cannot run the publish zone", { reason });
    return 1;
  }
  try {
    parseRemoteUrl(repository);
  } catch (error) {
    log.error("Cannot run the publish zone", { reason: (error as Error).message });
    return 1;
  }
  log.info("Starting the publish zone", { sockets, cache });
  const walls = await probeKernelWalls(findLauncher());
  const requireWalls = values["require-walls"];
  const zone = startPublishProcess(
    { folder: sockets, cache, repository, credentials, walls, requireWalls, logLevel, logFormat },
    { environment: process.env, clock, random: Math.random, log },
  );
  await untilTerminated();
  await zone.end();
  return 0;
}
