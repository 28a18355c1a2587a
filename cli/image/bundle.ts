// `npm run bundle`: writes the files of the image to dist/image. The folder has these and nothing else.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { addProgramSupport } from "./add-program-support.ts";
import { bundleProgram } from "./bundle-program.ts";

const folder = join(import.meta.dirname, "../../dist/image");
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
await bundleProgram({ entry: join(import.meta.dirname, "main.ts"), outfile: join(folder, "fairlead.mjs") });
await addProgramSupport(folder);
