import { writeFileSync } from "node:fs";
import { setPriority } from "node:os";

/** What is left when nobody else wants it. */
const LOWEST = 19;

/**
 * From now on a process that leads a session gets of the processor what others leave.
 *
 * Linux may share a processor among sessions first (sched(7), the autogroup feature), and there a nice value says something
 * within its session only: one that has a session for itself would lose nothing by it. So the session is lowered, too.
 */
export function lowerPriority(pid: number): void {
  tryTo(() => setPriority(pid, LOWEST));
  tryTo(() => writeFileSync(`/proc/${pid}/autogroup`, String(LOWEST)));
}

/** The process may have ended in between, and not every system has such groups. */
function tryTo(lower: () => void): void {
  try {
    lower();
  } catch {}
}
