import { setImmediate } from "node:timers/promises";
import type { FuzzedReader } from "./readers.ts";

/** CPU time of this thread in milliseconds. Unlike wall time, it does not depend on other processes. */
function nowMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** The result of a reader with one input. */
export interface Fed {
  readonly totalMs: number;
  /** Longest time without a pause. */
  readonly sliceMs: number;
  /** Times that the reader paused. */
  readonly pauses: number;
  /** Whether the pauses are steps of the reader. Those of a promise are turns of the event loop, whose number depends on time. */
  readonly isStepwise: boolean;
  /** An error that is not one of the reader's own. */
  readonly crash: unknown;
}

/** Passes one input to a reader, and measures it. Never rejects. */
export async function feed(reader: FuzzedReader, bytes: Buffer): Promise<Fed> {
  const beganMs = nowMs();
  let [sliceMs, pauses, lastMs] = [0, 0, beganMs];
  const pause = (): void => {
    const atMs = nowMs();
    sliceMs = Math.max(sliceMs, atMs - lastMs);
    lastMs = atMs;
    pauses++;
  };
  let [crash, isStepwise]: [unknown, boolean] = [undefined, false];
  try {
    const work = reader.feed(bytes);
    if (work instanceof Promise) {
      const turn = { isOver: false };
      const end = work.finally(() => {
        turn.isOver = true;
      });
      const turns = countTurns(turn, pause);
      await Promise.allSettled([turns, end]);
      await end;
    } else if (work !== undefined) {
      isStepwise = true;
      while (work.next().done !== true) pause();
    }
  } catch (error) {
    if (!reader.throws.some((own) => error instanceof own)) crash = error;
  }
  pause();
  return { totalMs: lastMs - beganMs, sliceMs, pauses, isStepwise, crash };
}

async function countTurns(turn: { readonly isOver: boolean }, pause: () => void): Promise<void> {
  while (!turn.isOver) {
    await setImmediate();
    pause();
  }
}
