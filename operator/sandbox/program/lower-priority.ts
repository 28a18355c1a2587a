import { readFileSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";

/** Priority of work that runs only when the CPU is idle. */
const LOWEST = 19;

/**
 * From now on a process gets of the processor what others leave.
 *
 * Linux may share a processor among sessions first (sched(7), the autogroup feature), and there a nice value says something
 * within its session only: one that has a session for itself would lose nothing by it. So the session of a process that leads
 * one is lowered, too; another process's session may be that of the operator, or of the user's terminal.
 */
export function lowerPriority(pid: number): void {
  tryTo(() => setPriority(pid, LOWEST));
  tryTo(() => {
    if (leadsSession(pid)) writeFileSync(`/proc/${pid}/autogroup`, String(LOWEST));
  });
}

function leadsSession(pid: number): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  // The name of a program may contain anything. Behind it stand state, parent, group and session.
  const session = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3];
  return Number(session) === pid;
}

/** The process may have ended in between, and not every system has such groups. */
function tryTo(lower: () => void): void {
  try {
    lower();
  } catch {}
}
