// The process of the source zone: it polls and fetches git repositories, reads their trees and checks signatures, and takes
// hooks. It has the credentials of Releases while they are followed, and serves the operator over one Unix socket.
import { parseArgs } from "node:util";
import { systemClock } from "../../runtime/clock.ts";
import { describeMissingWalls, noKernelWalls } from "../../sandbox/kernel-walls.ts";
import {
  type ReportedWalls,
  readWallsReport,
  toWallsReport,
  type WallsReport,
} from "../../sandbox/walls-report.ts";
import { createLogger, type LogLevel } from "../../telemetry/log.ts";
import { removeSocket, serveZone } from "../../zones/zone-server.ts";
import { tryWalls } from "../try-walls.ts";
import { createSources } from "./create-sources.ts";
import { SOURCE_ZONE } from "./messages.ts";
import { createSourceService, describeSourceError } from "./source-service.ts";
import { countHooks, serveZoneHooks } from "./zone-hooks.ts";

/** A sign of life for the process that started this one (zone-process.ts). */
const SIGN_OF_LIFE_MS = 1_000;
/** Git processes are asked to end, and killed after 2 s. */
const END_MS = 2_500;
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
// The launcher has made the socket.
const isConfined = values["socket-fd"] !== undefined;
const own = JSON.parse(values.walls) as WallsReport;
let git: ReportedWalls = noKernelWalls("");
const confine = await tryWalls({
  launcher: values.launcher,
  cache: values.cache,
  environment: process.env,
  isRoot: process.getuid?.() === 0,
  clock,
  log,
  onWalls: (walls) => {
    git = walls;
  },
});
log.info("Walls of the kernel around the source zone", { ...readWallsReport(own) });
const gap = describeMissingWalls(git, "git processes");
const refusal =
  values["require-walls"] && gap !== undefined
    ? `Cannot poll the repository: ${gap}, and this operator requires them`
    : undefined;
if (refusal !== undefined) log.error("No repository is polled", { reason: gap });
const hooks = countHooks();
const service = createSourceService({
  clock,
  log,
  hookCounts: () => hooks.counts,
  walls: { source: own, git: toWallsReport(git) },
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
      refusal,
      onChange,
    }),
});
async function end(): Promise<void> {
  setTimeout(() => process.exit(0), END_MS);
  // The operator ended, perhaps killed: then a socket that this process has made is left to it.
  if (!isConfined) removeSocket(values.socket);
  await service.sources.close();
  process.exit(0);
}
process.stdin.on("end", () => void end()).resume();
// A terminal sends these to all processes of the operator. It ends this one when it ends.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
setInterval(() => process.stdout.write("."), SIGN_OF_LIFE_MS);
process.stdout.write(".");
await serveZone({
  socket: isConfined ? Number(values["socket-fd"]) : values.socket,
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
