import { Gauge, type Registry } from "prom-client";

/** Which fences in the API server were found at the start. */
export class FenceMetrics {
  readonly #inForce: Gauge<"fence">;

  constructor(registry: Registry) {
    this.#inForce = new Gauge({
      name: "fairlead_fence_in_force",
      help: "1 if this admission policy was in force at the start",
      labelNames: ["fence"],
      registers: [registry],
    });
  }

  found(fence: string, isInForce: boolean): void {
    this.#inForce.set({ fence }, isInForce ? 1 : 0);
  }
}
