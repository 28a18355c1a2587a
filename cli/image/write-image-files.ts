import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { publishWorkerFile } from "../../operator/git/publish/publish-process.ts";
import { sourceWorkerFile } from "../../operator/git/source/source-process.ts";
import { launcherFile } from "../../operator/sandbox/find-launcher.ts";
import { workerFile } from "../../operator/sandbox/worker-command.ts";
import { provideLauncher } from "../launcher/build-launcher.ts";
import { addProgramSupport } from "./add-program-support.ts";
import { bundleProgram } from "./bundle-program.ts";

/** Name of the operator's program in the image's folder. */
export const imageProgram = "fairlead.mjs";

/**
 * Writes all files of the image's folder: the operator's program, the processes of the zones with the files that
 * programs of Releases need, and the launcher of their sandbox. Every image is built from this folder.
 *
 * @throws Error on Linux if there is no launcher, and no Go to build it with.
 */
export async function writeImageFiles(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const launcher = await provideLauncher(env);
  if (launcher === undefined && process.platform === "linux")
    throw new Error(
      "Cannot write the image's files: Go 1.26 or later is needed for the launcher of the sandbox",
    );
  await mkdir(folder, { recursive: true });
  const entry = fileURLToPath(new URL("main.ts", import.meta.url));
  await bundleProgram({ entry, outfile: join(folder, imageProgram) });
  await addZones(folder);
  if (launcher !== undefined) await copyFile(launcher, join(folder, launcherFile));
}

/** Paths of the sources in the bundle of each zone's process. */
export interface ZoneInputs {
  readonly sandbox: readonly string[];
  readonly source: readonly string[];
  readonly publish: readonly string[];
}

/** Adds the processes of the zones, and the files that they need, to the folder of a program. */
export async function addZones(folder: string): Promise<ZoneInputs> {
  const bundle = (worker: string, file: string): Promise<readonly string[]> => {
    const entry = fileURLToPath(new URL(`../../operator/${worker}`, import.meta.url));
    return bundleProgram({ entry, outfile: join(folder, file) });
  };
  const sandbox = await bundle("sandbox/worker.ts", workerFile);
  const source = await bundle("git/source/worker.ts", sourceWorkerFile);
  const publish = await bundle("git/publish/worker.ts", publishWorkerFile);
  await addProgramSupport(folder);
  return { sandbox, source, publish };
}
