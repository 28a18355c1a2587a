import { accessSync, constants } from "node:fs";
import { join } from "node:path";

/** Name of the launcher in a folder for one platform, such as an image. */
export const launcherFile = "fairlead-launch";

/** Name of the launcher in a package, which contains it for all platforms. Pure. */
export function launcherFileFor(arch: string): string {
  return `${launcherFile}-linux-${arch}`;
}

/** Finds the launcher of an image or a package, beside this file; undefined: there is none for this machine. */
export function findLauncher(): string | undefined {
  if (process.platform !== "linux") return undefined;
  return [launcherFile, launcherFileFor(process.arch)]
    .map((name) => join(import.meta.dirname, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
