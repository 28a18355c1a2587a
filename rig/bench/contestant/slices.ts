import { appendFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

/** Interval of the measurements of the event loop. */
const PROBE_MS = 5;
/** Slices shorter than this are not kept. */
const KEPT_MS = 10;

/** One stretch in which the event loop did not come round: wall time, and the CPU the main thread used in it. */
export interface Slice {
  /** When it ended, in ms since 1970. */
  readonly atMs: number;
  readonly wallMs: number;
  /** An upper bound of the synchronous work: a machine that is busy makes the wall time longer, but not this. */
  readonly cpuMs: number;
}

/**
 * Looks how long the event loop is held; gives a function that appends what was seen to a file, one JSON object per line:
 * slices, and at last the histogram's own maximum. It costs some CPU, so that a measured round does without it.
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
