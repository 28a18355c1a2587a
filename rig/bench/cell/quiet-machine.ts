import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

export interface QuietMachineOptions {
  /** Maximum wait, in seconds. */
  readonly waitSeconds: number;
  /** The 1-minute load below which the machine counts as quiet. */
  readonly load?: number;
  readonly report: (line: string) => void;
}

/** Waits for a limited time until no other program uses the machine. Returns the last 1-minute load. */
export async function untilQuiet({ waitSeconds, load = 1.5, report }: QuietMachineOptions): Promise<number> {
  const deadline = performance.now() + waitSeconds * 1_000;
  for (;;) {
    const [minute = 0] = loadavg();
    const leftMs = deadline - performance.now();
    if (minute < load || leftMs <= 0) return minute;
    report(
      `Waiting for a quiet machine: load ${minute.toFixed(2)}, at most ${Math.ceil(leftMs / 1_000)} s more`,
    );
    await sleep(Math.min(2_000, leftMs));
  }
}
