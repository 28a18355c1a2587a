import { readFileSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";

/** Priority of work that runs only when the CPU is idle. */
const LOWEST = 19;

/**
 * Lowers the CPU priority of a process.
 *
 * Linux may first divide the CPU among sessions (sched(7), the autogroup feature). A nice value then applies only within
 * its session, and has no effect on a process with a session of its own. Therefore the priority of the session of a
 * session leader is lowered, too. The session of another process may be that of the operator, or of the user's terminal.
 */
export function lowerPriority(pid: number): void {
  tryTo(() => setPriority(pid, LOWEST));
  tryTo(() => {
    if (leadsSession(pid)) writeFileSync(`/proc/${pid}/autogroup`, String(LOWEST));
  });
}

function leadsSession(pid: number): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  // The name of a program may contain anything. State, parent, group and session follow it.
  const session = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3];
  return Number(session) === pid;
}

/** The process may have ended, and not every system has autogroups. */
function tryTo(lower: () => void): void {
  try {
    lower();
  } catch {}
}
