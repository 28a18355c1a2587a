import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";

const longestMs = 60_000;

/**
 * Stops an operator with SIGTERM.
 *
 * @returns Whether it was running.
 * @throws Error if it has not ended after a minute, which is a defect of the operator. It is killed.
 */
export async function stopOperator(operator: ChildProcess, logPath: string): Promise<boolean> {
  if (operator.exitCode !== null || !operator.kill("SIGTERM")) return false;
  try {
    await once(operator, "exit", { signal: AbortSignal.timeout(longestMs) });
    return true;
  } catch (cause) {
    operator.kill("SIGKILL");
    throw new Error(`The operator did not end within 60 s: ${await lastLines(logPath)}`, { cause });
  }
}

/** The end of a log, for an error message. */
export async function lastLines(logPath: string): Promise<string> {
  return (await readFile(logPath, "utf8").catch(() => "")).slice(-2_000);
}
