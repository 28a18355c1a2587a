// Bundled by a test like the image's program, and run without other files of the repository: renders one program.

import { systemClock } from "../../operator/runtime/clock.ts";
import { findLauncher } from "../../operator/sandbox/find-launcher.ts";
import { probeKernelIsolation } from "../../operator/sandbox/kernel-isolation.ts";
import { createPrograms } from "../../operator/sandbox/program/programs.ts";
import { MemoryFiles } from "./memory-files.ts";
import { RecordingLogger } from "./recording-logger.ts";

const main = `
import { type App, Chart } from "cdk8s";
import { ConfigMap } from "cdk8s-plus-27";
export default (app: App, data: Record<string, string>) => {
  new ConfigMap(new Chart(app, "shop"), "settings", { data, metadata: { name: "settings" } });
};`;

const isolation = await probeKernelIsolation(findLauncher());
const programs = createPrograms({ clock: systemClock(), log: new RecordingLogger(), isolation });
const files = new MemoryFiles({ "main.ts": main });
const { manifests } = await programs.run({
  key: "shop/web",
  namespace: "shop",
  repositoryId: "r",
  tree: files.tree,
  entry: "main.ts",
  inputs: { color: "blue" },
  timeoutMs: 60_000,
  files,
});
await programs.close();
process.stdout.write(JSON.stringify(manifests));
process.stderr.write(isolation.launcher ?? "");
