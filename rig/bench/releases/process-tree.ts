import { readdirSync, readFileSync } from "node:fs";

/** The resources that a process and its descendants use: peaks of memory in MiB, and CPU. */
export interface ProcessUse {
  /** Peak of the sum of their resident memory. Pages that a fork shares count twice. */
  allMiB: number;
  /**
   * The same, with the pages of files counted once: nearly all of them are the program `node`, which all of these processes
   * run, and which the kernel holds once.
   */
  sharedOnceMiB: number;
  /** The same without the process itself. */
  childrenMiB: number;
  /** The kernel's own peak of the process. */
  operatorMiB: number;
  /** CPU time of the process since the start of the measurement, including its descendants that have ended, in seconds. */
  cpuSeconds: number;
}

/** Clock ticks per second. Linux has this value on all architectures that Node supports. */
const ticksPerSecond = 100;

const sampleMs = 20;

/** Measures a process tree 50 times a second, until the returned function is called. Linux only. */
export function measureProcesses(pid: number): () => ProcessUse {
  const peaks: ProcessUse = { allMiB: 0, sharedOnceMiB: 0, childrenMiB: 0, operatorMiB: 0, cpuSeconds: 0 };
  const startSeconds = cpuSecondsOf(pid);
  const sample = (): void => {
    const all = treeOf(pid).map(residentMiB);
    const children = sumOf(all.slice(1), ({ files, rest }) => files + rest);
    peaks.allMiB = Math.max(
      peaks.allMiB,
      sumOf(all, ({ files, rest }) => files + rest),
    );
    const files = Math.max(0, ...all.map((one) => one.files));
    peaks.sharedOnceMiB = Math.max(peaks.sharedOnceMiB, files + sumOf(all, ({ rest }) => rest));
    peaks.childrenMiB = Math.max(peaks.childrenMiB, children);
  };
  const timer = setInterval(sample, sampleMs);
  // A measurement that fails does not end it.
  timer.unref();
  sample();
  return () => {
    clearInterval(timer);
    peaks.operatorMiB = Number(/^VmHWM:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1_024;
    peaks.cpuSeconds = cpuSecondsOf(pid) - startSeconds;
    return peaks;
  };
}

/** CPU time, including that of children that have ended. */
function cpuSecondsOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  // The name of a program may contain any character, including parentheses. utime, stime, cutime and cstime are fields 14 to 17.
  const ticks = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 15);
  return ticks.reduce((sum, one) => sum + Number(one), 0) / ticksPerSecond;
}

/**
 * The process and its descendants, itself first. The kernel lists the children of each thread: reading the parents of all
 * processes of the machine instead took a sixth of a core while a benchmark ran.
 */
export function treeOf(root: number): readonly number[] {
  const tree = [root];
  for (const pid of tree) {
    for (const thread of threadsOf(pid)) {
      const children = read(`/proc/${pid}/task/${thread}/children`).trim();
      if (children !== "") tree.push(...children.split(" ").map(Number));
    }
  }
  return tree;
}

/** Ids of the threads of a process; none if it has ended. */
function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Resident memory of a process: pages of files, and the rest. */
interface Resident {
  readonly files: number;
  readonly rest: number;
}

function residentMiB(pid: number): Resident {
  const status = read(`/proc/${pid}/status`);
  const field = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0) / 1_024;
  return { files: field("RssFile"), rest: field("RssAnon") + field("RssShmem") };
}

function sumOf(all: readonly Resident[], of: (one: Resident) => number): number {
  return all.reduce((sum, one) => sum + of(one), 0);
}

/** Reads a file of a process; empty if the process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
