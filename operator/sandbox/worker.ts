// One process of the sandbox zone: it reads folders, or bundles programs and runs them in separate processes. It has no
// credentials, and serves the operator over one Unix socket.
import { parseArgs } from "node:util";
import { systemClock } from "../runtime/clock.ts";
import { serveAsWorker } from "../zones/zone-worker.ts";
import { setEsbuildVariables } from "./esbuild-command.ts";
import { type IsolationReport, toIsolationReport } from "./isolation-report.ts";
import { probeKernelIsolation } from "./kernel-isolation.ts";
import { toLowerRequest } from "./lower-children.ts";
import { planMemory } from "./plan-memory.ts";
import { createPrograms } from "./program/programs.ts";
import { createRenderService, describeRenderError } from "./render-service.ts";

/** Largest frame from the operator: files of up to 4 MiB, or the inputs of a program. */
const limits = { headerBytes: 65_536, parts: 256, bytes: 16 * 2 ** 20 };

const text = { type: "string" } as const;
const { values } = parseArgs({
  options: {
    socket: text,
    "socket-fd": text,
    zone: text,
    launcher: text,
    isolation: text,
    memory: text,
    "esbuild-variables": text,
  },
});
setEsbuildVariables(JSON.parse(values["esbuild-variables"] ?? "{}"));
const clock = systemClock();
const memory = planMemory(values.memory === undefined ? undefined : Number(values.memory));
const isolation = await probeKernelIsolation(values.launcher);
const { socket = "", "socket-fd": descriptor, zone = "" } = values;
// The launcher has created the socket. This process may not write to /proc, so its parent lowers the priority.
const lowerPriority =
  descriptor !== undefined ? (pid: number) => void process.stdout.write(toLowerRequest(pid)) : undefined;
const own = JSON.parse(values.isolation ?? "{}") as IsolationReport;
const { serve } = createRenderService({
  clock,
  createPrograms: (options) =>
    createPrograms({ ...options, clock, isolation, limits: memory.programs, lowerPriority }),
  isolation: { own, ...(zone === "sandbox/programs" && { programs: toIsolationReport(isolation) }) },
});
await serveAsWorker({
  socket,
  descriptor,
  // Processes of programs end with this one, because their standard input closes.
  close: async () => undefined,
  zone,
  clock,
  limits,
  requestParts: 1,
  serve,
  describeError: describeRenderError,
});
