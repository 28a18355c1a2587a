import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, type Registry } from "prom-client";

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
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  new Gauge({
    name: "fairlead_event_loop_delay_seconds",
    help: "Delay of the event loop since the last scrape",
    labelNames: ["quantile"],
    registers,
    collect() {
      // Before the first sample the histogram has no numbers.
      const seconds = (ns: number): number => (Number.isFinite(ns) && delay.count > 0 ? ns / 1e9 : 0);
      this.set({ quantile: "0.5" }, seconds(delay.percentile(50)));
      this.set({ quantile: "0.99" }, seconds(delay.percentile(99)));
      this.set({ quantile: "1" }, seconds(delay.max));
      delay.reset();
    },
  });
}
