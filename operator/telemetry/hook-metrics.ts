import { Counter, type Registry } from "prom-client";

/** The fairlead_hook_* metrics. */
export class HookMetrics {
  readonly #requests: Counter;

  constructor(registry: Registry) {
    this.#requests = new Counter({
      name: "fairlead_hook_requests_total",
      help: "Requests to /hooks by outcome",
      labelNames: ["outcome"],
      registers: [registry],
    });
  }

  /** Requests were answered. */
  answered(outcome: string, times: number): void {
    this.#requests.inc({ outcome }, times);
  }
}
