// The process of the publish zone: it commits and pushes rendered files. It has the credentials of the repository, and serves
// the operator over one Unix socket.
import { parseArgs } from "node:util";
import { systemClock } from "../../runtime/clock.ts";
import { readWallsReport } from "../../sandbox/walls-report.ts";
import { createLogger, type LogLevel } from "../../telemetry/log.ts";
import { serveAsWorker } from "../../zones/zone-worker.ts";
import { readCredentials } from "../credentials.ts";
import { parseRemoteUrl } from "../remote-url.ts";
import { setUpWalls } from "../try-walls.ts";
import { LocalClone } from "./local-clone.ts";
import { COMMIT_PART_BYTES, PUBLISH_ZONE } from "./messages.ts";
import { describePublishError } from "./publish-failure.ts";
import { createPublishService } from "./publish-service.ts";

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
const clock = systemClock();
const log = createLogger({
  clock,
  level: values["log-level"] as LogLevel,
  format: values["log-format"] as "text" | "json" | undefined,
}).child({ zone: PUBLISH_ZONE });
const { confine, walls, gap } = await setUpWalls({
  values,
  environment: process.env,
  isRoot: process.getuid?.() === 0,
  clock,
  log,
});
log.info("Walls of the kernel around the publish zone", { ...readWallsReport(walls.own) });
if (gap !== undefined) log.error("Nothing is published", { reason: gap });
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
  walls: { publish: walls.own, git: walls.git },
  refusal: gap && `Cannot publish: ${gap}, and this operator requires them`,
});
await serveAsWorker({
  socket: values.socket,
  descriptor: values["socket-fd"],
  close: () => service.close(),
  zone: PUBLISH_ZONE,
  clock,
  limits,
  requestParts: 1,
  serve: service.serve,
  describeError: describePublishError,
});
