import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Folders without repositories: processes, devices, sockets, settings, mounted secrets, data of services. */
const closed = new Set([
  ...["/proc", "/sys", "/dev", "/run", "/boot", "/etc", "/lost+found"],
  ...["/var/run", "/var/lock", "/var/lib", "/var/log", "/var/spool", "/var/mail", "/var/cache"],
]);
/** Folders whose entries are listed instead of the folder itself. */
const opened = ["/", "/home", "/var"];

/**
 * Paths of this machine that may contain repositories: all except {@link closed} and hidden files of a home directory,
 * where keys and credentials are.
 *
 * @param home Home directory of the user.
 */
export function localPlaces(home: string): readonly string[] {
  const isOpened = (path: string): boolean =>
    opened.includes(path) || path === "/root" || home === path || home.startsWith(join(path, "/"));
  const visit = (path: string): readonly string[] => {
    const isHome = path === home || path === "/root" || /^\/home\/[^/]+$/.test(path);
    if (!isOpened(path) && !isHome) return [path];
    return readNames(path)
      .filter((name) => !name.startsWith("."))
      .map((name) => join(path, name))
      .filter((inside) => !closed.has(inside))
      .flatMap(visit);
  };
  return visit("/");
}

function readNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // It belongs to another user.
    return [];
  }
}
