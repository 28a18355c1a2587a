import { Gauge, type Registry } from "prom-client";

/** Layers of the kernel's isolation of a process, as its zone reported them. */
export interface SandboxLayers {
  readonly inForce: readonly string[];
  readonly missing: readonly string[];
}

/** A process of a zone, or the processes that it starts. */
export type IsolatedProcess =
  | { readonly zone: "sandbox"; readonly process: "reader" | "programs" | "program" }
  | { readonly zone: "source"; readonly process: "source" | "git" }
  | { readonly zone: "publish"; readonly process: "publish" | "git" };

/** The kernel isolation of the processes of zones. */
export class SandboxMetrics {
  readonly #layers: Gauge<"zone" | "process" | "layer">;

  constructor(registry: Registry) {
    this.#layers = new Gauge({
      name: "fairlead_sandbox_layer_in_force",
      help: "1 if the kernel enforces this layer for processes of a zone",
      labelNames: ["zone", "process", "layer"],
      registers: [registry],
    });
  }

  found(process: IsolatedProcess, { inForce, missing }: SandboxLayers): void {
    for (const layer of inForce) this.#layers.set({ ...process, layer }, 1);
    for (const layer of missing) this.#layers.set({ ...process, layer }, 0);
  }
}
