import type { FakeClock } from "./fake-clock.ts";

/** Ends every wait that starts, until the call is finished; returns their durations. */
export async function lettingTimePass(clock: FakeClock, learning: Promise<void>): Promise<readonly number[]> {
  const waits: number[] = [];
  let isOver = false;
  const end = learning.finally(() => (isOver = true));
  end.catch(() => undefined);
  while (!isOver) {
    const [delayMs] = clock.pendingDelaysMs;
    if (delayMs !== undefined) {
      waits.push(delayMs);
      await clock.advance(delayMs);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  await end;
  return waits;
}
