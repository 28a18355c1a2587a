import { spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";

export const WATCHDOG_RELEASE = "release";

/** Ends a cluster when this process ends in any way, also by `kill -9`, until it is released. */
export interface Watchdog {
  release(): Promise<void>;
}

/** Starts the watchdog of a run directory. It does not prevent this process from exiting. */
export function startWatchdog(runDirectory: string): Watchdog {
  // In the same folder, compiled or not.
  const script = fileURLToPath(new URL(`./watchdog${extname(import.meta.url)}`, import.meta.url));
  const child = spawn(process.execPath, [script, runDirectory], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.unref();
  child.stdin.on("error", () => undefined); // It may have ended before it is released.
  if (child.stdin instanceof Socket) child.stdin.unref();
  return {
    async release() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.ref();
      child.stdin.end(WATCHDOG_RELEASE);
      await once(child, "exit");
    },
  };
}
