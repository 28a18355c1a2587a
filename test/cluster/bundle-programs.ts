// Bundles the programs of this folder: `node bundle-programs.ts FOLDER`. Vitest's module loader lacks features that
// bundling needs.
import { copyFile, cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { bundlePrograms } from "../../cli/image/bundle-program.ts";
import { addZones } from "../../cli/image/write-image-files.ts";
import { provideLauncher } from "../../cli/launcher/build-launcher.ts";
import { launcherFile } from "../../operator/sandbox/find-launcher.ts";
import { programsIn } from "./bundled-programs.ts";

const { own, shipped } = programsIn(process.argv[2] ?? "");
const names = (await readdir(import.meta.dirname)).filter((name) => name.endsWith("-program.ts"));
await Promise.all([
  bundlePrograms({ entries: names.map((name) => join(import.meta.dirname, name)), folder: own }),
  addZones(own),
]);
await cp(own, shipped, { recursive: true });
const launcher = await provideLauncher(process.env);
if (launcher !== undefined) await copyFile(launcher, join(shipped, launcherFile));
