import { existsSync, readFileSync } from "node:fs";

/** Where the loader looks up libraries that are not in its default folders. */
const loaderCache = "/etc/ld.so.cache";

/** The files that a process of the same Node needs. */
export interface NodeFiles {
  /** Shared libraries. */
  readonly read: readonly string[];
  /** Node, and the loader that the kernel starts it with. */
  readonly execute: readonly string[];
}

/**
 * Reads which files this process has mapped as code.
 *
 * @throws Error without a readable /proc.
 */
export function readNodeFiles(): NodeFiles {
  const maps = readFileSync("/proc/self/maps", "utf8");
  const { read, execute } = parseNodeFiles(maps, process.execPath);
  return { read: existsSync(loaderCache) ? [...read, loaderCache] : read, execute };
}

/** Chooses the files of a process's memory map (proc_pid_maps(5)) that a process of the same program needs. Pure. */
export function parseNodeFiles(maps: string, execPath: string): NodeFiles {
  const paths = maps.split("\n").flatMap((line) => /^\S+ ..x. \S+ \S+ \d+ +(\/.+)$/.exec(line)?.[1] ?? []);
  const libraries = [...new Set(paths)].filter((path) => /\.so(\.[\d.]+)?$/.test(path));
  const loaders = libraries.filter((path) => /\/ld-[^/]+$/.test(path));
  return {
    read: libraries.filter((path) => !loaders.includes(path)),
    execute: [execPath, ...loaders],
  };
}
