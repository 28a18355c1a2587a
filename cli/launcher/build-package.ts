// Part of `npm run build`: writes the launcher for every platform into the package.
import { join } from "node:path";
import { launcherFileFor } from "../../operator/sandbox/find-launcher.ts";
import { buildLauncher, launcherArchitectures } from "./build-launcher.ts";

const folder = join(import.meta.dirname, "../../dist/package/operator/sandbox");
for (const arch of Object.keys(launcherArchitectures)) {
  await buildLauncher({ arch, outfile: join(folder, launcherFileFor(arch)), env: process.env });
}
