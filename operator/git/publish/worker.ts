// The process of the publish zone: it commits and pushes rendered files. It has the credentials of the repository, and serves
// the operator over one Unix socket.
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
import { readCredentials } from "../credentials.ts";
import { parseRemoteUrl } from "../remote-url.ts";
import { tryWalls } from "../try-walls.ts";
import { describePublishError } from "./error-answer.ts";
import { LocalClone } from "./local-clone.ts";
import { COMMIT_PART_BYTES, PUBLISH_ZONE } from "./messages.ts";
import { createPublishService } from "./publish-service.ts";

/** A sign of life for the process that started this one (zone-process.ts). */
const SIGN_OF_LIFE_MS = 1_000;
/** Git processes are asked to end, and killed after 2 s. */
const END_MS = 2_500;
/** Of a frame of the operator: a part of a commit. */
const limits = { headerBytes: 65_536, parts: 1, bytes: 2 * COMMIT_PART_BYTES };

const { values } = parseArgs({
  options: {
    socket: { type: "string", default: "" },
    "socket-fd": { type: "string" },
    walls: { type: "string", default: "{}" },
    "require-walls": { type: "boolean", default: false },
    launcher: { type: "string" },
    cache: { type: "string", default: "" },
    repository: { type: "string", default: "" },
    credentials: { type: "string" },
    "log-level": { type: "string", default: "info" },
    "log-format": { type: "string" },
  },
});
const { repository, credentials, cache } = values;
// The launcher has made the socket.
const isConfined = values["socket-fd"] !== undefined;
const clock = systemClock();
const log = createLogger({
  clock,
  level: values["log-level"] as LogLevel,
  format: values["log-format"] as "text" | "json" | undefined,
}).child({ zone: PUBLISH_ZONE });
const own = JSON.parse(values.walls) as WallsReport;
let git: ReportedWalls = noKernelWalls("");
const confine = await tryWalls({
  ...{ launcher: values.launcher, cache, credentials, clock, log },
  environment: process.env,
  isRoot: process.getuid?.() === 0,
  onWalls: (walls) => {
    git = walls;
  },
});
log.info("Walls of the kernel around the publish zone", { ...readWallsReport(own) });
const gap = describeMissingWalls(git, "git processes");
const refusal =
  values["require-walls"] && gap !== undefined
    ? `Cannot publish: ${gap}, and this operator requires them`
    : undefined;
if (refusal !== undefined) log.error("Nothing is published", { reason: gap });
const service = createPublishService({
  createClone: (place) =>
    new LocalClone({
      ...place,
      repository,
      credentialsDirectory: credentials,
      cacheDirectory: cache,
      clock,
      environment: process.env,
      confine,
    }),
  check: () => readCredentials(credentials, parseRemoteUrl(repository)),
  log,
  walls: { publish: own, git: toWallsReport(git) },
  refusal,
});
async function end(): Promise<void> {
  setTimeout(() => process.exit(0), END_MS);
  // The operator ended, perhaps killed: then a socket that this process has made is left to it.
  if (!isConfined) removeSocket(values.socket);
  await service.close();
  process.exit(0);
}
process.stdin.on("end", () => void end()).resume();
// A terminal sends these to all processes of the operator. It ends this one when it ends.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
setInterval(() => process.stdout.write("."), SIGN_OF_LIFE_MS);
process.stdout.write(".");
await serveZone({
  socket: isConfined ? Number(values["socket-fd"]) : values.socket,
  zone: PUBLISH_ZONE,
  clock,
  limits,
  requestParts: 1,
  serve: service.serve,
  describeError: describePublishError,
});
