import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { composeSandbox } from "../../../operator/sandbox/compose-sandbox.ts";
import { noKernelIsolation } from "../../../operator/sandbox/kernel-isolation.ts";
import { MemoryFiles } from "../../fakes/memory-files.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import { aFolder, request } from "../../fakes/renderer-bench.ts";
import { aSocketFolder, patient } from "../../fakes/sandbox-zone.ts";

test("the image's program serves an operator as the sandbox zone, until SIGTERM", async () => {
  const folder = aSocketFolder();
  mkdirSync(join(folder, "sandbox"));
  const main = resolve(import.meta.dirname, "../../../cli/image/main.ts");
  const words = ["zone", "sandbox", `--sockets=${join(folder, "sandbox")}`];
  const zone = spawn(process.execPath, [main, ...words], { env: {}, stdio: "ignore" });
  const ended = once(zone, "exit");
  onTestFinished(async () => {
    zone.kill("SIGKILL");
    await ended;
  });
  const sandbox = composeSandbox({
    zoneSockets: folder,
    isolation: noKernelIsolation("the zone has a container of its own"),
    containerMemory: undefined,
    longestProgramMs: 1_000,
    requireIsolation: false,
    memoryLimit: 2 ** 20,
    clock: systemClock(),
    random: () => 0,
    log: new RecordingLogger(),
  });
  onTestFinished(() => sandbox.close());
  sandbox.start();
  const worked: number[] = [];
  const onWorked = (ms: number): void => void worked.push(ms);
  const { manifests } = await sandbox.run(request("a/b", aFolder("one")), { ...patient, onWorked });
  const twice = new MemoryFiles({ "a.yaml": "kind: A\nkind: B\n" });
  const failed = sandbox.run(request("a/b", twice), { ...patient, onWorked });
  await expect(failed).rejects.toThrow("defined twice");
  expect(worked).toEqual([expect.any(Number), expect.any(Number)]);
  expect(manifests).toEqual([{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } }]);
  zone.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});
