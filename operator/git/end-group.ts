import type { Clock } from "../ports.ts";

/** Whoever is asked to end has this long. */
const GRACE_MS = 2_000;

/**
 * Ends a process and all that it started: asks first, and kills what is left. A git that is killed while it moves a ref
 * leaves the ref's lock in the repository, and no push can ever move it again; one that is asked takes the lock away.
 *
 * @param leader - Process id of the leader of a process group.
 */
export function endGroup(leader: number, clock: Clock): void {
  if (!signalGroup(leader, "SIGTERM")) return;
  clock.schedule(GRACE_MS, () => signalGroup(leader, "SIGKILL"));
}

/** @returns Whether there was anybody to hear it. */
function signalGroup(leader: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    // It ended by itself in between.
    return false;
  }
}
