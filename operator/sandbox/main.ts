import { parseArgs } from "node:util";
import { systemClock } from "../runtime/clock.ts";
import { readMemoryLimit } from "../runtime/memory-limit.ts";
import { createLogger, type LogLevel } from "../telemetry/log.ts";
import { untilTerminated } from "../zones/zone-process.ts";
import { findLauncher } from "./find-launcher.ts";
import { describeMissingIsolation, probeKernelIsolation } from "./kernel-isolation.ts";
import { sandboxServices } from "./messages.ts";
import { createSandboxProcesses } from "./sandbox-processes.ts";

/**
 * The main process of the sandbox zone where it has a container of its own: keeps the zone's processes running until
 * SIGTERM. It reads none of their inputs, so that no input can end the container.
 *
 * @param argv Words behind `zone sandbox`.
 * @returns The exit code.
 */
export async function runSandboxZone(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: { sockets: { type: "string" }, "log-level": { type: "string", default: "info" } },
  });
  const clock = systemClock();
  const log = createLogger({ clock, level: values["log-level"] as LogLevel });
  if (values.sockets === undefined) {
    log.error("Cannot run the sandbox zone", { reason: "--sockets is missing: the folder of its sockets" });
    return 1;
  }
  log.info("Starting the sandbox zone", { sockets: values.sockets });
  const isolation = await probeKernelIsolation(findLauncher());
  const { inForce, missing, landlockAbi } = isolation;
  const gap = describeMissingIsolation(isolation);
  const fields = { inForce, missing, landlockAbi };
  if (gap === undefined) log.info("The kernel isolates processes of the sandbox zone", fields);
  else log.warn("The kernel does not isolate processes of the sandbox zone", { ...fields, reason: gap });
  const processes = createSandboxProcesses({
    folder: values.sockets,
    isolation,
    containerMemory: readMemoryLimit(),
    clock,
    random: Math.random,
    log,
  });
  // The operator cannot start a process in another container.
  for (const service of sandboxServices) processes.start(service);
  await untilTerminated();
  processes.close();
  return 0;
}
