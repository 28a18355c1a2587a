import { readFileSync } from "node:fs";
import { lowerPriority } from "./program/lower-priority.ts";

/** The request of an isolated process to lower the priority of a program: it may not write to /proc itself. Pure. */
export function toLowerRequest(pid: number): string {
  return `lower ${pid}\n`;
}

const REQUEST = /lower (\d{1,10})\n/g;
/** Longer than a request. */
const KEPT = 32;
/** Maximum number of requests read from a chunk: each running program sends at most one. */
const MOST = 8;

/**
 * Reads the output of the process that starts programs, and lowers the priority of the processes that it names, if they
 * are its children.
 */
export function lowerChildren(): (chunk: Buffer, parent: number) => void {
  let said = "";
  return (chunk, parent) => {
    const heard = said + chunk.toString("latin1");
    const requests = heard.matchAll(REQUEST).take(MOST).toArray();
    for (const [, pid] of requests) if (parentOf(Number(pid)) === parent) lowerPriority(Number(pid));
    const last = requests.at(-1);
    said = heard.slice(last === undefined ? 0 : last.index + last[0].length).slice(-KEPT);
  };
}

/** Undefined: there is no such process. */
function parentOf(pid: number): number | undefined {
  try {
    const [, parent] = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    return Number(parent);
  } catch {
    return undefined;
  }
}
