import type { Clock, Logger, Random } from "../ports.ts";
import { ZoneProcess } from "../zones/zone-process.ts";
import type { SandboxService } from "./messages.ts";
import { type WorkerCommandOptions, workerCommand } from "./worker-command.ts";

export interface SandboxProcessesOptions extends WorkerCommandOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** The processes of the zone. */
export interface SandboxProcesses {
  /** Undefined while the process is being restarted. */
  pidOf(service: SandboxService): number | undefined;
  close(): void;
}

/**
 * Keeps the processes of the sandbox zone running: readers of folders apart from the process that bundles programs and runs
 * them. One that dies of what it reads takes no other with it.
 */
export function startSandboxProcesses({
  folder,
  launcher,
  containerMemory,
  ...options
}: SandboxProcessesOptions): SandboxProcesses {
  const start = (service: SandboxService): ZoneProcess =>
    new ZoneProcess({
      ...options,
      name: `sandbox/${service}`,
      command: workerCommand(service, { folder, launcher, containerMemory }),
    });
  const processes = { reader: start("reader"), programs: start("programs") };
  return {
    pidOf: (service) => processes[service].pid,
    close: () => {
      for (const process of Object.values(processes)) process.close();
    },
  };
}
