import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../../operator/runtime/clock.ts";
import { watchMemory } from "../../../../operator/sandbox/program/memory-watch.ts";

/** A Node with a hundred threads in its pool, all of which start with its first task. It prints a line and waits. */
const program = `require("node:fs").stat("/", () => console.log("started"));
  setInterval(() => {}, 1000);`;
/** The same, and then uses a processor. */
const busy = `require("node:fs").stat("/", () => { console.log("started"); for (;;); });`;

const onLinux = test.runIf(process.platform === "linux");

onLinux.for([
  { what: "too many threads", limits: { limitMiB: 4_096, maxThreads: 64 }, over: "threads" },
  { what: "too much memory", limits: { limitMiB: 1, maxThreads: 1_000 }, over: "memory" },
  {
    what: "too much processor time",
    limits: { limitMiB: 4_096, maxCpuMs: 100 },
    over: "processor",
    runs: busy,
  },
])("watchMemory() reports $what", async ({ limits, over, runs = program }) => {
  const env = { UV_THREADPOOL_SIZE: "100" };
  const child = spawn(process.execPath, ["-e", runs], { env, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const found = await new Promise((resolve) => {
    onTestFinished(watchMemory(child.pid ?? 0, { clock: systemClock(), ...limits, onOver: resolve }));
  });
  expect(found).toBe(over);
});

onLinux("watchMemory() does not report a process within its limits", async () => {
  const child = spawn(process.execPath, ["-e", "console.log(1); setInterval(() => {}, 1000)"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const clock = systemClock();
  let polls = 0;
  const over: string[] = [];
  const polledThrice = new Promise<void>((resolve) => {
    const counting = {
      ...clock,
      schedule: (ms: number, run: () => void) => {
        if (++polls === 3) resolve();
        return clock.schedule(ms, run);
      },
    };
    onTestFinished(
      watchMemory(child.pid ?? 0, {
        clock: counting,
        limitMiB: 4_096,
        maxThreads: 64,
        maxCpuMs: 60_000,
        onOver: (what) => void over.push(what),
      }),
    );
  });
  await polledThrice;
  expect(over).toEqual([]);
});
