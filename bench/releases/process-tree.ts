import { readdirSync, readFileSync } from "node:fs";

/** Peaks of what a process and all that it started hold in memory, in MiB. */
export interface MemoryPeaks {
  /** Largest sum of resident memory over all of them at one moment; pages that a fork shares count twice. */
  allMiB: number;
  /** The same without the process itself. */
  childrenMiB: number;
  /** The kernel's own peak of the process. */
  operatorMiB: number;
}

const sampleMs = 20;

/** Looks at the memory of a process tree, 50 times a second, until the function that it gives is called. Linux only. */
export function watchMemory(pid: number): () => MemoryPeaks {
  const peaks: MemoryPeaks = { allMiB: 0, childrenMiB: 0, operatorMiB: 0 };
  const look = (): void => {
    const [own = 0, ...others] = treeOf(pid).map(residentMiB);
    const children = others.reduce((sum, one) => sum + one, 0);
    peaks.allMiB = Math.max(peaks.allMiB, own + children);
    peaks.childrenMiB = Math.max(peaks.childrenMiB, children);
  };
  const timer = setInterval(look, sampleMs);
  look();
  return () => {
    clearInterval(timer);
    peaks.operatorMiB = Number(/^VmHWM:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1_024;
    return peaks;
  };
}

/** The process and everything below it, itself first. */
function treeOf(root: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    // The name of a program may hold anything, parentheses too.
    const stat = read(`/proc/${pid}/stat`);
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

function residentMiB(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1_024;
}

/** Empty when the process is gone meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
