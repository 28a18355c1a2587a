import { readdirSync, readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, type Registry } from "prom-client";

/**
 * Interval between two measurements of the event loop. Each causes a wake-up: an interval of 20 ms would use 0.2 % of a
 * core.
 */
const RESOLUTION_MS = 200;

/** CPU, memory, and the delay of the event loop since the last scrape. */
export function addProcessMetrics(registry: Registry, { version }: { readonly version: string }): void {
  const registers = [registry];
  new Counter({
    name: "process_cpu_seconds_total",
    help: "CPU time of this process",
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  };
  gauge("process_resident_memory_bytes", "Resident memory of this process", () => process.memoryUsage.rss());
  const startedAt = performance.timeOrigin / 1_000;
  gauge("process_start_time_seconds", "Start time of this process, in seconds since 1970", () => startedAt);
  gauge("process_open_fds", "Open files and sockets", countOpenFiles);
  const mostFiles = readOpenFilesLimit();
  gauge("process_max_fds", "Limit of open files and sockets", () => mostFiles);
  gauge(
    "nodejs_heap_size_used_bytes",
    "Used size of the JavaScript heap",
    () => process.memoryUsage().heapUsed,
  );
  gauge("nodejs_heap_size_total_bytes", "Size of the JavaScript heap", () => process.memoryUsage().heapTotal);
  gauge(
    "nodejs_external_memory_bytes",
    "Memory outside of the JavaScript heap that it references",
    () => process.memoryUsage().external,
  );
  new Gauge({
    name: "fairlead_build_info",
    help: "Always 1; labels have the versions of the operator and of Node",
    labelNames: ["version", "node"],
    registers,
  }).set({ version, node: process.versions.node }, 1);
  addEventLoopDelay(registry);
}

function addEventLoopDelay(registry: Registry): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  new Gauge({
    name: "fairlead_event_loop_delay_seconds",
    help: "Delay of the event loop since the last scrape",
    labelNames: ["quantile"],
    registers: [registry],
    collect() {
      // The recorded value is the interval between two measurements, so its nominal length is subtracted.
      const seconds = (ns: number): number =>
        delay.count > 0 ? Math.max(0, ns / 1e9 - RESOLUTION_MS / 1e3) : 0;
      this.set({ quantile: "0.5" }, seconds(delay.percentile(50)));
      this.set({ quantile: "0.99" }, seconds(delay.percentile(99)));
      this.set({ quantile: "1" }, seconds(delay.max));
      delay.reset();
    },
  });
}

/** 0 without /proc. */
function countOpenFiles(): number {
  try {
    // The folder itself is open while it is read.
    return readdirSync("/proc/self/fd").length - 1;
  } catch {
    return 0;
  }
}

function readOpenFilesLimit(): number {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return Number(limit ?? 0);
  } catch {
    return 0;
  }
}
