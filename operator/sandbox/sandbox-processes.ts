import type { Clock, Logger, Random } from "../ports.ts";
import { ZoneProcess } from "../zones/zone-process.ts";
import { lowerChildren } from "./lower-children.ts";
import type { SandboxService } from "./messages.ts";
import { type WorkerCommandOptions, workerCommand } from "./worker-command.ts";

export interface SandboxProcessesOptions extends WorkerCommandOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** The processes of the zone. */
export interface SandboxProcesses {
  /** Starts the process of a service and keeps it running. Repeated calls have no effect. */
  start(service: SandboxService): void;
  /** Undefined before it was started, and while it is being restarted. */
  pidOf(service: SandboxService): number | undefined;
  close(): void;
}

/**
 * Keeps the processes of the sandbox zone running, each from its first use: readers of folders are separate from the
 * process that bundles and runs programs. If input crashes one of them, the others continue.
 */
export function createSandboxProcesses({
  folder,
  isolation,
  containerMemory,
  ...options
}: SandboxProcessesOptions): SandboxProcesses {
  const processes = new Map<SandboxService, ZoneProcess>();
  const create = (service: SandboxService): ZoneProcess =>
    new ZoneProcess({
      ...options,
      name: `sandbox/${service}`,
      command: workerCommand(service, { folder, isolation, containerMemory }),
      ...(service === "programs" && { onOutput: lowerChildren() }),
    });
  return {
    start: (service) => void processes.getOrInsertComputed(service, create),
    pidOf: (service) => processes.get(service)?.pid,
    close: () => {
      for (const process of processes.values()) process.close();
    },
  };
}
