// `npm run bundle`: writes the files of the image to dist/image. The folder contains nothing else.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { writeImageFiles } from "./write-image-files.ts";

const folder = join(import.meta.dirname, "../../dist/image");
await rm(folder, { recursive: true, force: true });
await writeImageFiles(folder, process.env);
