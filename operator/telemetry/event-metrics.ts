import { Counter, type Registry } from "prom-client";

/** Counts of the event recorder; read when metrics are scraped. */
export interface EventCounts {
  readonly written: number;
  readonly dropped: number;
}

/** The fairlead_events_* metrics. */
export class EventMetrics {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Reads the counts of this recorder from now on. */
  watch(read: () => EventCounts): void {
    const registers = [this.#registry];
    const counter = (field: keyof EventCounts, help: string): void => {
      new Counter({
        name: `fairlead_events_${field}_total`,
        help,
        registers,
        collect() {
          this.reset();
          this.inc(read()[field]);
        },
      });
    };
    counter("written", "Event requests that the API server accepted");
    counter("dropped", "Events that were dropped");
  }
}
