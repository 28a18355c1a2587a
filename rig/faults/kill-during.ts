import { setTimeout as sleep } from "node:timers/promises";
import type { OperatorProcess } from "./operator-process.ts";

export interface KillDuringOptions {
  readonly operator: OperatorProcess;
  /** The write with which it is killed, counted from the actions on. Undefined: after `afterMs`. */
  readonly atWrite: number | undefined;
  readonly afterMs: number;
  /** The work has had its time: the kill follows. */
  readonly longestMs: number;
  /** Where to report every write from now on. Undefined: nowhere any more. */
  readonly listen: (onWrite: (() => void) | undefined) => void;
  /** Called with the write, at the moment of the kill. */
  readonly onHit?: () => void;
  readonly act: () => Promise<void>;
  /** Whether everything is done: no write is to be expected. */
  readonly isDone: () => Promise<boolean>;
}

/** Kills the operator at a moment of its work. @returns Whether that was with the write. */
export async function killDuring(options: KillDuringOptions): Promise<boolean> {
  const { operator, atWrite, afterMs, longestMs, listen, onHit, act, isDone } = options;
  const { promise: killed, resolve } = Promise.withResolvers<void>();
  let isDead = false;
  const kill = (): void => {
    if (isDead) return;
    isDead = true;
    void operator.stop().then(resolve);
  };
  let writes = 0;
  listen(() => {
    writes += 1;
    if (writes !== atWrite || isDead) return;
    onHit?.();
    kill();
  });
  await act();
  const timer = atWrite === undefined ? setTimeout(kill, afterMs) : undefined;
  const started = performance.now();
  while (!isDead) {
    await Promise.race([killed, sleep(100)]);
    const isOver = performance.now() - started > longestMs;
    if (!isDead && (isOver || (timer === undefined && (await isDone())))) break;
  }
  const isMidway = isDead && atWrite !== undefined;
  kill();
  clearTimeout(timer);
  await killed;
  listen(undefined);
  return isMidway;
}
