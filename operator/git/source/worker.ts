// The process of the source zone: it polls and fetches git repositories, reads their trees and checks signatures, and takes
// hooks. It has the credentials of resources while they are followed, and serves the operator over one Unix socket.
import { parseArgs } from "node:util";
import { systemClock } from "../../runtime/clock.ts";
import { readWallsReport } from "../../sandbox/walls-report.ts";
import { createLogger, type LogLevel } from "../../telemetry/log.ts";
import { serveAsWorker } from "../../zones/zone-worker.ts";
import { setUpWalls } from "../try-walls.ts";
import { createSources } from "./create-sources.ts";
import { SOURCE_ZONE } from "./messages.ts";
import { createSourceService, describeSourceError } from "./source-service.ts";
import { countHooks, serveZoneHooks } from "./zone-hooks.ts";

/** Of a frame of the operator: requests with Secrets. */
const limits = { headerBytes: 65_536, parts: 1, bytes: 16 * 2 ** 20 };

const { values } = parseArgs({
  options: {
    socket: { type: "string", default: "" },
    "socket-fd": { type: "string" },
    walls: { type: "string", default: "{}" },
    "require-walls": { type: "boolean", default: false },
    cache: { type: "string", default: "" },
    "cache-bytes": { type: "string", default: "" },
    launcher: { type: "string" },
    "file-remotes": { type: "boolean", default: false },
    "hook-bind-address": { type: "string", default: "0" },
    "hook-secrets": { type: "string", default: "" },
    "log-level": { type: "string", default: "info" },
    "log-format": { type: "string" },
  },
});
const clock = systemClock();
const log = createLogger({
  clock,
  level: values["log-level"] as LogLevel,
  format: values["log-format"] as "text" | "json" | undefined,
}).child({ zone: SOURCE_ZONE });
const { confine, walls, gap } = await setUpWalls({
  values,
  environment: process.env,
  isRoot: process.getuid?.() === 0,
  clock,
  log,
});
log.info("Walls of the kernel around the source zone", { ...readWallsReport(walls.own) });
if (gap !== undefined) log.error("No repository is polled", { reason: gap });
const hooks = countHooks();
const service = createSourceService({
  clock,
  log,
  hookCounts: () => hooks.counts,
  walls: { source: walls.own, git: walls.git },
  createSources: (onChange) =>
    createSources({
      cacheDirectory: values.cache,
      cacheBytes: Number(values["cache-bytes"]),
      clock,
      random: Math.random,
      log,
      environment: process.env,
      allowFile: values["file-remotes"],
      confine,
      refusal: gap && `Cannot poll the repository: ${gap}, and this operator requires them`,
      onChange,
    }),
});
await serveAsWorker({
  socket: values.socket,
  descriptor: values["socket-fd"],
  close: () => service.sources.close(),
  zone: SOURCE_ZONE,
  clock,
  limits,
  requestParts: 1,
  serve: service.serve,
  describeError: describeSourceError,
});
if (values["hook-bind-address"] !== "0") {
  const address = values["hook-bind-address"];
  await serveZoneHooks({ address, secrets: values["hook-secrets"], service, ...hooks, clock, log });
}
