import { Counter, type Registry } from "prom-client";

/** What the recorder of events counts by itself. */
export interface EventCounts {
  readonly written: number;
  readonly dropped: number;
}

/** The fairlead_events_* metrics, read from the recorder when somebody asks. */
export function watchEvents(registry: Registry, read: () => EventCounts): void {
  const counter = (field: keyof EventCounts, help: string): void => {
    new Counter({
      name: `fairlead_events_${field}_total`,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(read()[field]);
      },
    });
  };
  counter("written", "Requests for events that the API server took");
  counter("dropped", "Events that were given up");
}
