import type { Clock } from "../ports.ts";

/** Longest delay of a Node timer; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** The real clock. Its timers do not prevent the process from exiting. */
export function systemClock(): Clock {
  return { now: () => performance.now(), wallClock: () => new Date(), schedule };
}

function schedule(delayMs: number, callback: () => void): () => void {
  let timer: NodeJS.Timeout;
  function wait(leftMs: number): void {
    const stepMs = Math.min(leftMs, longestTimerMs);
    timer = setTimeout(() => (stepMs < leftMs ? wait(leftMs - stepMs) : callback()), Math.max(0, stepMs));
    timer.unref();
  }
  wait(delayMs);
  return () => clearTimeout(timer);
}
