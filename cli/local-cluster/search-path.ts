import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** Whether a shell with this environment finds the program. */
export async function isOnPath(program: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  for (const directory of (env["PATH"] ?? "").split(delimiter)) {
    if (directory !== "" && (await isExecutable(join(directory, program)))) return true;
  }
  return false;
}

/** Whether this is an executable file, or a folder that may be entered. */
export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
