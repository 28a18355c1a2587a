import { Gauge, type Registry } from "prom-client";

/** Layers of the kernel's walls around programs, as the launcher reported them. */
export interface SandboxLayers {
  readonly inForce: readonly string[];
  readonly missing: readonly string[];
}

/** Which walls the kernel puts around programs of Releases; found at the start. */
export class SandboxMetrics {
  readonly #layers: Gauge<"layer">;

  constructor(registry: Registry) {
    this.#layers = new Gauge({
      name: "fairlead_sandbox_layer_in_force",
      help: "1 if the kernel puts this wall around programs",
      labelNames: ["layer"],
      registers: [registry],
    });
  }

  found({ inForce, missing }: SandboxLayers): void {
    for (const layer of inForce) this.#layers.set({ layer }, 1);
    for (const layer of missing) this.#layers.set({ layer }, 0);
  }
}
