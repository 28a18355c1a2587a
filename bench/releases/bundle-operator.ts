import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { addProgramSupport } from "../../cli/image/add-program-support.ts";
import { bundleProgram } from "../../cli/image/bundle-program.ts";

/** Writes the program of the image, and what runs programs of Releases, into a folder; gives the program's path. */
export async function bundleOperator(folder: string): Promise<string> {
  const outfile = join(folder, "fairlead.mjs");
  const entry = fileURLToPath(new URL("../../cli/image/main.ts", import.meta.url));
  await bundleProgram({ entry, outfile });
  await addProgramSupport(folder);
  return outfile;
}
