import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Clock } from "../../../../operator/ports.ts";
import { systemClock } from "../../../../operator/runtime/clock.ts";
import { buildLibraries } from "../../../../operator/sandbox/program/build-libraries.ts";
import { IdleSandboxes } from "../../../../operator/sandbox/program/idle-sandboxes.ts";
import { residentBytes } from "../../../../operator/sandbox/program/memory-watch.ts";
import { SandboxProcess } from "../../../../operator/sandbox/program/sandbox-process.ts";
import { buildText } from "../../../fakes/build-text.ts";
import { FakeClock } from "../../../fakes/fake-clock.ts";
import { kernelIsolation } from "../../../fakes/launcher.ts";

let runner = "";
beforeAll(async () => {
  ({ runner } = await buildLibraries(buildText));
});

/** A process with a test library instead of the real ones: `finish` is the expression of a run's result. */
async function start(finish: string, run = ""): Promise<SandboxProcess> {
  const limits = { memoryMiB: 256, outputBytes: 1_000 };
  const sandbox = new SandboxProcess({
    clock: systemClock(),
    limits,
    runner,
    isolation: kernelIsolation,
    prlimit: undefined,
  });
  onTestFinished(() => sandbox.kill());
  const code = `var __fairleadRun = () => { ${run} }, __fairleadFinish = () => ${finish}, __fairleadHold = (r) => { reason = r; }, __fairleadReject = () => {}, reason;`;
  const names = ["cdk8s"];
  await sandbox.ask({ kind: "libraries", names }, [Buffer.from(code), Buffer.alloc(0)], {
    timeoutMs: 60_000,
  });
  return sandbox;
}

/** A process whose program escaped from its context: after its answer it runs this code. */
function keepAfterAnswer(runner: string, clock: Clock = systemClock()) {
  const limits = { memoryMiB: 256, outputBytes: 1_000 };
  const sandbox = new SandboxProcess({
    ...{ clock, limits, runner },
    isolation: kernelIsolation,
    prlimit: undefined,
  });
  onTestFinished(() => sandbox.kill());
  const idle = new IdleSandboxes({ clock, idleMs: 600_000 });
  idle.put({ namespace: "shop", key: "shop\nprogram", sandbox });
  return { sandbox, idle };
}

/** Uses each page again and again, because some kernels move unused pages out of the memory (DAMON). */
const holding = (mebibytes: number): string =>
  `const kept = Buffer.alloc(${mebibytes} * 2 ** 20, 1);
  setInterval(() => { for (let at = 0; at < kept.length; at += 4_096) kept[at] = 1; }, 50);`;

async function ask(sandbox: SandboxProcess, copies = 2): Promise<readonly string[]> {
  const run = { kind: "run", copies, timeoutMs: 30_000 } as const;
  const { parts } = await sandbox.ask(run, [Buffer.from("{}")], { timeoutMs: 30_000 });
  return parts.map(String);
}

describe("SandboxProcess", () => {
  test("returns one text when all runs have the same result, and all texts otherwise", async () => {
    expect(await ask(await start("'same'"))).toEqual(["same"]);
    expect(await ask(await start("String(Math.random())"), 3)).toHaveLength(3);
  });

  test("runs every time in a new context", async () => {
    const sandbox = await start("String(globalThis.count = (globalThis.count ?? 0) + 1)");
    expect([await ask(sandbox), await ask(sandbox)]).toEqual([["1"], ["1"]]);
  });

  test("accepts only a text from a context", async () => {
    expect(await ask(await start("({ toString: () => 'no text' })"))).toEqual([""]);
    expect(await ask(await start("{ throw 1 }".replace("{ throw 1 }", "JSON.parse('{')")))).toEqual([""]);
  });

  test("passes a rejection to the context in which it occurred", async () => {
    expect(await ask(await start("String(reason)", "Promise.reject('lost');"))).toEqual(["lost"]);
  });

  test("is killed when its output is too large", async () => {
    await expect(ask(await start("'x'.repeat(4_000_000)"))).rejects.toMatchObject({ reason: "RenderLimit" });
  });

  test("reports the end of its process, and cannot be used again", async () => {
    const sandbox = await start("'same'", "for (;;);");
    const asked = ask(sandbox);
    process.kill(sandbox.pid ?? 0, "SIGKILL");
    await expect(asked).rejects.toMatchObject({
      reason: "RenderFailed",
      message: "Cannot render the program: its process ended (SIGKILL)",
    });
    expect(sandbox.isOver).toBe(true);
    await expect(ask(sandbox)).rejects.toThrow("its process ended (SIGKILL)");
  });

  // As after an escape from the context of the program: the process does as it likes after its answer.
  test.runIf(process.platform === "linux").for([
    { what: "uses the processor", after: "for (;;);" },
    {
      what: "takes more than half of its memory",
      after: holding(200),
    },
    {
      what: "sends a part of a message",
      after: 'require("fs").writeSync(1, Buffer.alloc(2)); setInterval(() => {}, 1_000);',
    },
  ])("a process that $what while it waits for another run is ended", async ({ after }) => {
    const { sandbox, idle } = keepAfterAnswer(after);
    await sandbox.ended;
    expect(idle.take("shop\nprogram")).toBeUndefined();
    expect(idle.memoryMiB).toBe(0);
  });

  test.runIf(process.platform === "linux")(
    "a process that takes memory while it waits for another run is ended as fast as during a run",
    async () => {
      const clock = new FakeClock();
      const { sandbox } = keepAfterAnswer(holding(200), clock);
      // Over the limit of a waiting process, but below 200 MiB: such a kernel may have moved parts of Node itself out.
      await expect.poll(() => residentBytes(sandbox.pid ?? 0)).toBeGreaterThan(150 * 2 ** 20);
      expect(sandbox.isOver).toBe(false);
      await clock.advance(20);
      expect(sandbox.isOver).toBe(true);
    },
  );

  test.runIf(process.platform === "linux")(
    "the memory of a process counts that it takes while it waits for another run",
    async () => {
      const { sandbox, idle } = keepAfterAnswer(holding(60));
      await expect.poll(() => idle.memoryMiB).toBeGreaterThan(60);
      await idle.shrinkTo(60);
      expect([sandbox.isOver, idle.memoryMiB]).toEqual([true, 0]);
    },
  );

  test("a process that floods its standard error cannot write any more", async () => {
    // A connection whose other side is closed with unread data is reset, depending on who is faster. It may also be full.
    const flooding = `const text = Buffer.alloc(65_536, 65);
      for (;;) try { require("fs").writeSync(2, text); }
      catch ({ code }) { if (code !== "EAGAIN") process.exit(code === "EPIPE" || code === "ECONNRESET" ? 7 : 8); }`;
    const { sandbox } = keepAfterAnswer(flooding);
    await sandbox.ended;
    await expect(ask(sandbox)).rejects.toThrow("its process ended (exit code 7): AAAA");
  });

  test("distinguishes a program that changes V8's flags from one that runs out of memory", async () => {
    const sandbox = new SandboxProcess({
      clock: systemClock(),
      limits: { memoryMiB: 256, outputBytes: 1_000 },
      runner: 'require("node:v8").setFlagsFromString("--stack-size=100");',
      isolation: kernelIsolation,
      prlimit: undefined,
    });
    await expect(ask(sandbox)).rejects.toMatchObject({
      reason: "RenderFailed",
      message: "Cannot render the program: it tried to change V8 flags, and its process was ended",
    });
  });

  test("does not report the program when the operator stops it", async () => {
    const sandbox = await start("'same'", "for (;;);");
    const asked = ask(sandbox);
    sandbox.kill();
    await expect(asked).rejects.toThrow("Cannot run a program: the operator is stopping");
  });
});
