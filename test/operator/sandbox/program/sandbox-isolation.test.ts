import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../../operator/runtime/clock.ts";
import { noKernelIsolation } from "../../../../operator/sandbox/kernel-isolation.ts";
import { encodeMessage } from "../../../../operator/sandbox/program/inside/messages.ts";
import { createPrograms } from "../../../../operator/sandbox/program/programs.ts";
import { sandboxArguments } from "../../../../operator/sandbox/program/sandbox-arguments.ts";
import { SandboxProcess } from "../../../../operator/sandbox/program/sandbox-process.ts";
import { kernelIsolation } from "../../../fakes/launcher.ts";
import { MemoryFiles } from "../../../fakes/memory-files.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";

const none = noKernelIsolation("the launcher is not installed");

test.runIf(kernelIsolation.launcher !== undefined)(
  "a process for programs has the isolation that the kernel supports",
  async () => {
    // Answers once it runs: the launcher has executed Node.
    const answer = encodeMessage({ kind: "ready" }).toString("base64");
    const runner = `require("fs").readSync(0, Buffer.alloc(4));
      require("fs").writeSync(1, Buffer.from("${answer}", "base64"));
      setInterval(() => {}, 1000);`;
    const limits = { memoryMiB: 256, outputBytes: 1_000 };
    const sandbox = new SandboxProcess({
      clock: systemClock(),
      limits,
      runner,
      isolation: kernelIsolation,
      prlimit: undefined,
    });
    onTestFinished(() => sandbox.kill());
    await sandbox.ask({ kind: "caches" }, [], { timeoutMs: 60_000 });

    const status = readFileSync(`/proc/${sandbox.pid}/status`, "utf8");
    const fields = Object.fromEntries(status.split("\n").map((line) => line.split(":\t")));
    expect(fields["NoNewPrivs"]).toBe("1");
    expect(fields["CapEff"]).toBe("0000000000000000");
    if (kernelIsolation.inForce.includes("seccomp")) expect(fields["Seccomp"]).toBe("2");
    if (process.getuid?.() === 0) expect(fields["Uid"]?.split("\t")[0]).toBe("65534");
    const openFiles = /^Max open files +(\d+)/m.exec(
      readFileSync(`/proc/${sandbox.pid}/limits`, "utf8"),
    )?.[1];
    expect(openFiles).toBe("64");
  },
);

test("without a launcher, prlimit sets the limits, or there are none", () => {
  const input = { runner: "run()", memoryMiB: 256, isolation: none };
  expect(sandboxArguments({ ...input, prlimit: "/usr/bin/prlimit" })).toMatchObject({
    wrapper: "/usr/bin/prlimit",
    arguments: expect.arrayContaining(["--core=0", process.execPath, "run()"]),
  });
  expect(sandboxArguments({ ...input, prlimit: undefined }).wrapper).toBeUndefined();
});

test("an operator that requires isolation rejects a program without it", async () => {
  const programs = createPrograms({
    clock: systemClock(),
    log: new RecordingLogger(),
    isolation: none,
  });
  onTestFinished(() => programs.close());
  const files = new MemoryFiles({ "main.ts": "export default () => {};" });
  const run = programs.run({
    key: "shop/web",
    namespace: "shop",
    repositoryId: "r",
    tree: files.tree,
    entry: "main.ts",
    inputs: undefined,
    timeoutMs: 60_000,
    requireIsolation: true,
    files,
  });
  await expect(run).rejects.toMatchObject({
    reason: "RenderFailed",
    message:
      "Cannot render the program: the kernel does not isolate programs: the launcher is not installed, and this operator requires isolation",
  });
});
