import { setTimeout as sleep } from "node:timers/promises";
import type { OperatorProcess } from "./operator-process.ts";

export interface KillDuringOptions {
  readonly operator: OperatorProcess;
  /** The number of the write at which it is killed, counted from the start of the actions. Undefined: after `afterMs`. */
  readonly atWrite: number | undefined;
  readonly afterMs: number;
  /** Maximum time of the work. Then the operator is killed. */
  readonly longestMs: number;
  /** Sets the callback for every write. Undefined: removes it. */
  readonly listen: (onWrite: (() => void) | undefined) => void;
  /** Called at the write of the kill. */
  readonly onHit?: () => void;
  readonly act: () => Promise<void>;
  /** Whether all work is done, so that no further write is expected. */
  readonly isDone: () => Promise<boolean>;
}

/** Kills the operator during its work. @returns Whether the kill was at the write. */
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
