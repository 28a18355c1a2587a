// One process of the sandbox zone: it reads folders, or bundles programs and runs them in processes of their own. It has no
// credentials, and serves the operator over one Unix socket.
import { parseArgs } from "node:util";
import { planMemory } from "../desire/release/plan-memory.ts";
import { systemClock } from "../runtime/clock.ts";
import { removeSocket, serveZone } from "../zones/zone-server.ts";
import { setEsbuildVariables } from "./esbuild-command.ts";
import { probeKernelWalls } from "./kernel-walls.ts";
import { toLowerRequest } from "./lower-children.ts";
import { createPrograms } from "./program/programs.ts";
import { createRenderService, describeRenderError } from "./render-service.ts";
import { toWallsReport, type WallsReport } from "./walls-report.ts";

/** A sign of life for the process that started this one (zone-process.ts). */
const SIGN_OF_LIFE_MS = 1_000;
/** Of a frame of the operator: files of up to 4 MiB, or the inputs of a program. */
const limits = { headerBytes: 65_536, parts: 256, bytes: 16 * 2 ** 20 };

const text = { type: "string" } as const;
const { values } = parseArgs({
  options: {
    socket: text,
    "socket-fd": text,
    zone: text,
    launcher: text,
    walls: text,
    memory: text,
    "esbuild-variables": text,
  },
});
setEsbuildVariables(JSON.parse(values["esbuild-variables"] ?? "{}"));
const clock = systemClock();
const memory = planMemory(values.memory === undefined ? undefined : Number(values.memory));
const walls = await probeKernelWalls(values.launcher);
const { socket = "", "socket-fd": descriptor, zone = "" } = values;
// The launcher has made the socket: this process may not write to /proc, and has it done by the one that started it.
const isConfined = descriptor !== undefined;
const lowerPriority = isConfined
  ? (pid: number) => void process.stdout.write(toLowerRequest(pid))
  : undefined;
const own = JSON.parse(values.walls ?? "{}") as WallsReport;
const { serve } = createRenderService({
  clock,
  createPrograms: (options) =>
    createPrograms({ ...options, clock, walls, limits: memory.programs, lowerPriority }),
  walls: { own, ...(zone === "sandbox/programs" && { programs: toWallsReport(walls) }) },
});
// The operator ended, perhaps killed: then a socket that this process has made is left to it. Processes of programs end with
// this one: they read from its pipes.
process.stdin
  .on("end", () => {
    if (!isConfined) removeSocket(socket);
    process.exit(0);
  })
  .resume();
// A terminal sends these to all processes of the operator. It ends this one when it ends.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
setInterval(() => process.stdout.write("."), SIGN_OF_LIFE_MS);
process.stdout.write(".");
await serveZone({
  socket: isConfined ? Number(descriptor) : socket,
  zone,
  clock,
  limits,
  requestParts: 1,
  serve,
  describeError: describeRenderError,
});
