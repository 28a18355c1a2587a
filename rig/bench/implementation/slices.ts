import { appendFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

/** Interval of the measurements of the event loop. */
const PROBE_MS = 5;
/** Slices shorter than this are not kept. */
const KEPT_MS = 10;

/** A time in which the event loop was blocked: wall time, and the CPU time of the main thread. */
export interface Slice {
  /** When it ended, in ms since 1970. */
  readonly atMs: number;
  readonly wallMs: number;
  /** An upper bound of the synchronous work. Unlike the wall time, it does not depend on the load of the machine. */
  readonly cpuMs: number;
}

/**
 * Measures how long the event loop is blocked. Returns a function that appends the results to a file, one JSON object per line:
 * the slices, then the histogram's maximum. It uses some CPU time, so a measured round does not use it.
 */
export function watchSlices(file: string): () => void {
  const histogram = monitorEventLoopDelay({ resolution: PROBE_MS });
  histogram.enable();
  const slices: Slice[] = [];
  let [wall, cpu] = [performance.now(), mainThreadMs()];
  const timer = setInterval(() => {
    const [nowWall, nowCpu] = [performance.now(), mainThreadMs()];
    const wallMs = nowWall - wall;
    if (wallMs >= KEPT_MS) slices.push({ atMs: Date.now(), wallMs, cpuMs: nowCpu - cpu });
    [wall, cpu] = [nowWall, nowCpu];
  }, PROBE_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    histogram.disable();
    const lines = [...slices, { atMs: Date.now(), histogramMaxMs: histogram.max / 1e6 }];
    appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  };
}

function mainThreadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
