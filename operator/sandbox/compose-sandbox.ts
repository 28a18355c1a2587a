import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RenderRunner } from "../render/render-runner.ts";
import type { KernelIsolation } from "./kernel-isolation.ts";
import { type SandboxService, serviceFor } from "./messages.ts";
import { createSandboxProcesses, type SandboxProcesses } from "./sandbox-processes.ts";
import { ZoneRenderRunner, type ZoneRenderRunnerOptions } from "./zone-render-runner.ts";

export interface ComposeSandboxInput extends Omit<ZoneRenderRunnerOptions, "folder"> {
  /** Folder with a folder of sockets for each zone. Undefined: the zone's processes are started here. */
  readonly zoneSockets: string | undefined;
  /** Kernel isolation of the processes that are started here, and of their programs. */
  readonly isolation: KernelIsolation;
  /** Memory that these processes share, in bytes. Undefined: no limit. */
  readonly containerMemory: number | undefined;
}

type OwnSandboxOptions = Omit<ComposeSandboxInput, "zoneSockets">;

/** Renders in the sandbox zone. */
export interface Sandbox extends RenderRunner {
  /** Call it when a render is expected: starts the reader, or connects to the processes of another container. */
  start(): void;
  close(): void;
}

/** Creates the operator's side of the sandbox zone. Nothing runs before it is needed. */
export function composeSandbox({ zoneSockets, ...options }: ComposeSandboxInput): Sandbox {
  return zoneSockets === undefined
    ? new OwnSandbox(options)
    : withStart(new ZoneRenderRunner({ ...options, folder: join(zoneSockets, "sandbox") }));
}

function withStart(runner: ZoneRenderRunner): Sandbox {
  return {
    start: () => runner.connect(),
    warmUp: () => runner.warmUp(),
    run: (request, patience) => runner.run(request, patience),
    close: () => runner.close(),
  };
}

/** A sandbox zone whose processes are children of this process. They end with it. */
class OwnSandbox implements Sandbox {
  readonly #options: OwnSandboxOptions;
  #started:
    | { readonly folder: string; readonly processes: SandboxProcesses; readonly runner: ZoneRenderRunner }
    | undefined;

  constructor(options: OwnSandboxOptions) {
    this.#options = options;
  }

  start(): void {
    this.#runner("reader");
  }

  warmUp(): void {
    this.#runner("programs").warmUp();
  }

  run(...[request, patience]: Parameters<RenderRunner["run"]>): ReturnType<RenderRunner["run"]> {
    return this.#runner(serviceFor(request.render)).run(request, patience);
  }

  close(): void {
    if (this.#started === undefined) return;
    const { folder, processes, runner } = this.#started;
    runner.close();
    processes.close();
    rmSync(folder, { recursive: true, force: true });
  }

  #runner(service: SandboxService): ZoneRenderRunner {
    if (this.#started === undefined) {
      // Of mode 0700, so that no other user can replace the sockets of the zone.
      const folder = mkdtempSync(join(tmpdir(), "fairlead-zones-"));
      const processes = createSandboxProcesses({ ...this.#options, folder });
      this.#started = { folder, processes, runner: new ZoneRenderRunner({ ...this.#options, folder }) };
    }
    this.#started.processes.start(service);
    return this.#started.runner;
  }
}
