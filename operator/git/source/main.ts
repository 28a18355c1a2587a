import { parseArgs } from "node:util";
import { size } from "../../config/option-values.ts";
import { systemClock } from "../../runtime/clock.ts";
import { findLauncher } from "../../sandbox/find-launcher.ts";
import { probeKernelWalls } from "../../sandbox/kernel-walls.ts";
import { createLogger, type LogLevel } from "../../telemetry/log.ts";
import { untilTerminated } from "../../zones/zone-process.ts";
import { startSourceProcess } from "./source-process.ts";

/**
 * The main process of the source zone where it has a container of its own: keeps the zone's process running until SIGTERM.
 * It reads nothing of what that process reads, so that no repository ends the container.
 *
 * @param argv Words behind `zone source`.
 * @returns The exit code.
 */
export async function runSourceZone(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      sockets: { type: "string" },
      cache: { type: "string" },
      "cache-size": { type: "string", default: "2Gi" },
      "file-remotes": { type: "boolean", default: false },
      "require-walls": { type: "boolean", default: false },
      "hook-bind-address": { type: "string" },
      "hook-secrets": { type: "string" },
      "log-level": { type: "string", default: "info" },
      "log-format": { type: "string" },
    },
  });
  const { sockets, cache, "log-level": logLevel, "log-format": logFormat } = values;
  const clock = systemClock();
  const log = createLogger({ clock, level: logLevel as LogLevel, format: logFormat as "text" | "json" });
  const [address, secrets] = [values["hook-bind-address"], values["hook-secrets"]];
  if (sockets === undefined || cache === undefined || (address !== undefined && secrets === undefined)) {
    const reason = "--sockets, --cache, and --hook-secrets beside --hook-bind-address are needed";
    log.error("Cannot run the source zone", { reason });
    return 1;
  }
  const { data: cacheBytes, error } = size.safeParse(values["cache-size"]);
  if (error !== undefined) {
    log.error("Cannot run the source zone", { reason: `--cache-size: ${error.issues[0]?.message}` });
    return 1;
  }
  log.info("Starting the source zone", { sockets, cache });
  const hooks = address === undefined || secrets === undefined ? undefined : { address, secrets };
  const allowFile = values["file-remotes"];
  const walls = await probeKernelWalls(findLauncher());
  const requireWalls = values["require-walls"];
  const zone = startSourceProcess(
    {
      ...{ folder: sockets, cache, cacheBytes, walls, requireWalls, allowFile, hooks, logLevel, logFormat },
    },
    { environment: process.env, clock, random: Math.random, log },
  );
  await untilTerminated();
  await zone.end();
  return 0;
}
