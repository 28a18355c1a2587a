import { join } from "node:path";
import { imageProgram, writeImageFiles } from "../../../cli/image/write-image-files.ts";

/** Writes the files of the image into a folder, and returns the path of the operator's program. */
export async function bundleOperator(folder: string): Promise<string> {
  await writeImageFiles(folder, process.env);
  return join(folder, imageProgram);
}
