import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { worthWaitingMs } from "../../../../operator/sandbox/program/sandbox-pool.ts";
import { FakeClock } from "../../../fakes/fake-clock.ts";
import { programOf, type RealPrograms, realPrograms } from "../../../fakes/programs.ts";

const main = programOf([
  { what: "one", body: "at(1);" },
  { what: "loop", body: "for (;;);" },
]);

let programs: RealPrograms;
let warm: boolean[] = [];
let bundles = 0;

/** Programs that record which of their runs were warm, and how often something was bundled. */
function observed(clock?: FakeClock): void {
  [warm, bundles] = [[], 0];
  programs = realPrograms(
    {},
    {
      observe: (seen) => {
        if (seen.did === "run") warm.push(seen.warm);
        else bundles += 1;
      },
      ...(clock && { clock }),
    },
  );
}

afterEach(() => programs.close());

async function run(namespace = "shop", files: Readonly<Record<string, string>> = {}): Promise<void> {
  await programs.render({ files: { "main.ts": main, ...files }, inputs: "one", namespace });
}

describe("createPrograms()", () => {
  test("never lets two namespaces share a process, and reuses it within one", async () => {
    observed();
    for (const namespace of ["a", "a", "b", "a", "b"]) await run(namespace);
    expect(warm).toEqual([false, true, false, true, true]);
  });

  test("bundles a program once for concurrent requests", async () => {
    observed();
    await Promise.all([run(), run(), run(), run()]);
    expect(bundles).toBe(1);
    await run("other");
    expect(bundles).toBe(2);
  });

  test("runs concurrent requests for the same program in one process, one after the other", async () => {
    // The clock does not advance: even on a slow machine no run takes long enough for another process to start.
    observed(new FakeClock());
    await Promise.all([run(), run(), run(), run()]);
    expect(warm).toEqual([false, true, true, true]);
  });

  test("starts another process if one run of a program makes the others wait", async () => {
    observed();
    const unwanted = new AbortController();
    const loop = programs.render({
      files: { "main.ts": main },
      inputs: "loop",
      timeoutMs: 3_600_000,
      patience: { unwanted: unwanted.signal, isSlow: false, onSlow: () => {} },
    });
    await run();
    expect(warm).toEqual([false]);
    unwanted.abort();
    await expect(loop).rejects.toThrow("no longer needed");
  });

  test("keeps the process of a program when a commit changes other files", async () => {
    observed();
    await run();
    await run("shop", { "other.txt": "" });
    expect([bundles, warm]).toEqual([2, [false, true]]);
  });

  test("ends a long run that is no longer needed, regardless of its timeout", async () => {
    observed();
    const unwanted = new AbortController();
    const run = programs.render({
      files: { "main.ts": "export default function program(): void { for (;;); }" },
      timeoutMs: 3_600_000,
      patience: { unwanted: unwanted.signal, isSlow: false, onSlow: () => unwanted.abort() },
    });
    await expect(run).rejects.toThrow("no longer needed");
    await expect(programs.render({ files: { "main.ts": main }, inputs: "one" })).resolves.toBeDefined();
  });

  test("ends unused processes", async () => {
    const clock = new FakeClock();
    observed(clock);
    await run();
    await run();
    await clock.advance(60_000);
    await setImmediate();
    await run();
    expect(warm).toEqual([false, true, false]);
  });

  test("loads nothing before the first program", () => {
    const clock = new FakeClock();
    observed(clock);
    expect(clock.pendingDelaysMs).toEqual([]);
  });
});

describe("worthWaitingMs()", () => {
  test.for([
    { machine: "on which no process has started yet", startMs: 0, waitMs: 100 },
    { machine: "that starts processes fast", startMs: 150, waitMs: 100 },
    { machine: "that starts processes slowly", startMs: 500, waitMs: 250 },
    { machine: "that is stuck", startMs: 20_000, waitMs: 1_000 },
  ])("waits $waitMs ms on a machine $machine", ({ startMs, waitMs }) => {
    expect(worthWaitingMs(startMs)).toBe(waitMs);
  });
});
