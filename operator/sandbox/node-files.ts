import { existsSync, readFileSync } from "node:fs";

/** Files in which the loader looks up libraries outside of its default folders. */
const loaderCache = "/etc/ld.so.cache";

/** The files that a process of the same Node needs. */
export interface NodeFiles {
  /** Shared libraries. */
  readonly read: readonly string[];
  /** Node, and the loader with which the kernel starts it. */
  readonly execute: readonly string[];
}

/**
 * Reads from /proc which files this process has mapped as code.
 *
 * @throws Error without a readable /proc.
 */
export function readNodeFiles(): NodeFiles {
  const maps = readFileSync("/proc/self/maps", "utf8");
  const { read, execute } = parseNodeFiles(maps, process.execPath);
  return { read: existsSync(loaderCache) ? [...read, loaderCache] : read, execute };
}

/** Selects from a process's memory map (proc_pid_maps(5)) the files that a process of the same program needs. Pure. */
export function parseNodeFiles(maps: string, execPath: string): NodeFiles {
  const paths = maps.split("\n").flatMap((line) => /^\S+ ..x. \S+ \S+ \d+ +(\/.+)$/.exec(line)?.[1] ?? []);
  const libraries = [...new Set(paths)].filter((path) => /\.so(\.[\d.]+)?$/.test(path));
  const loaders = libraries.filter((path) => /\/ld-[^/]+$/.test(path));
  return {
    read: libraries.filter((path) => !loaders.includes(path)),
    execute: [execPath, ...loaders],
  };
}
