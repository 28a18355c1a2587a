import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, type Registry } from "prom-client";

/**
 * Time between two looks at the event loop. Each look costs a wake-up: 20 ms would be 0.2 % of a core for nothing.
 */
const RESOLUTION_MS = 200;

/** Processor, memory, and how long the event loop was held up since the last time somebody looked. */
export function addProcessMetrics(registry: Registry): void {
  const registers = [registry];
  new Counter({
    name: "process_cpu_seconds_total",
    help: "Processor time that this process used",
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  new Gauge({
    name: "process_resident_memory_bytes",
    help: "Memory of this process",
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  new Gauge({
    name: "fairlead_event_loop_delay_seconds",
    help: "Delay of the event loop since the last scrape",
    labelNames: ["quantile"],
    registers,
    collect() {
      // What is recorded is the time between two looks, so that the resolution comes off.
      const seconds = (ns: number): number =>
        delay.count > 0 ? Math.max(0, ns / 1e9 - RESOLUTION_MS / 1e3) : 0;
      this.set({ quantile: "0.5" }, seconds(delay.percentile(50)));
      this.set({ quantile: "0.99" }, seconds(delay.percentile(99)));
      this.set({ quantile: "1" }, seconds(delay.max));
      delay.reset();
    },
  });
}
