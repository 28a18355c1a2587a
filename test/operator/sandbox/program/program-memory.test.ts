import { readdirSync, readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { planMemory } from "../../../../operator/sandbox/plan-memory.ts";
import { ownBytes } from "../../../../operator/sandbox/program/memory-watch.ts";
import { OverShareError, ProgramMemory } from "../../../../operator/sandbox/program/program-memory.ts";
import { FakeClock } from "../../../fakes/fake-clock.ts";
import { realPrograms } from "../../../fakes/programs.ts";

const job = (namespace: string, key = namespace) => ({ namespace, key, mostMiB: 256 });

/** The memory for programs within the default limit of the container. */
const { programs: planned } = planMemory(512 * 2 ** 20);

/** MiB that all child processes use now, without shared memory. */
function measureChildren(): number {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const own = pids.filter((pid) => {
    try {
      return (
        readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ")[1] === String(process.pid)
      );
    } catch {
      return false;
    }
  });
  return own.reduce((sum, pid) => sum + (ownBytes(Number(pid)) ?? 0), 0) / 2 ** 20;
}

describe("ProgramMemory", () => {
  test("grants each job a share first, and the full limit of a job to one that needs more", async () => {
    const memory = new ProgramMemory({ clock: new FakeClock(), budgetMiB: 1_000 });
    const grants: [number, boolean][] = [];
    const run = (key: string): Promise<string> =>
      memory.run(job("a", key), async ({ limitMiB, isShare }) => {
        grants.push([limitMiB, isShare]);
        if (isShare && key === "large") throw new OverShareError("RenderLimit", "too much");
        return key;
      });
    expect([await run("small"), await run("large"), await run("large")]).toEqual(["small", "large", "large"]);
    expect(grants).toEqual([
      [128, true],
      [128, true],
      [256, false],
      [256, false],
    ]);
  });

  test("never grants more than the budget", async () => {
    const memory = new ProgramMemory({ clock: new FakeClock(), budgetMiB: planned.totalMiB });
    const ends: (() => void)[] = [];
    let most = 0;
    const runs = ["a", "b", "c", "d"].map((namespace) =>
      memory.run(job(namespace), async ({ isShare }) => {
        most = Math.max(most, planned.totalMiB - memory.freeMiB);
        await new Promise<void>((resolve) => ends.push(resolve));
        if (isShare) throw new OverShareError("RenderLimit", "too much");
      }),
    );
    await setImmediate();
    expect(ends).toHaveLength(2);
    for (let ended = 0; ended < 8; ended++) {
      ends[ended]?.();
      await setImmediate();
    }
    await Promise.all(runs);
    expect(most).toBeLessThanOrEqual(planned.totalMiB);
    expect(memory.freeMiB).toBe(planned.totalMiB);
  });

  test("limits a namespace to half, except for a single large job", async () => {
    const memory = new ProgramMemory({ clock: new FakeClock(), budgetMiB: 200 });
    const begun: string[] = [];
    const hold = (namespace: string, key: string) =>
      void memory.run(job(namespace, key), () => {
        begun.push(key);
        return new Promise(() => {});
      });
    for (const key of ["a1", "a2", "a3"]) hold("a", key);
    hold("b", "b1");
    await setImmediate();
    expect(begun).toEqual(["a1", "b1"]);
  });

  test("limits a job to the budget", () => {
    const memory = new ProgramMemory({ clock: new FakeClock(), budgetMiB: 100 });
    expect([memory.limitOf(64), memory.limitOf(256)]).toEqual([64, 140]);
  });
});

test("a namespace whose files do not arrive holds no memory for which others wait", async () => {
  const programs = realPrograms({ totalMiB: planned.totalMiB });
  onTestFinished(() => programs.close());
  const listing = { files: [{ path: "main.ts", blob: "1", size: 1 }], refused: [] };
  const files = { list: async () => listing, read: () => new Promise<never>(() => {}) };
  for (const namespace of ["a", "b", "c"]) {
    const of = { key: `${namespace}/web`, namespace, repositoryId: "r", tree: "t" };
    void programs.run({ ...of, entry: "main.ts", inputs: undefined, timeoutMs: 1_000, files });
  }
  const main = "export default function program(): void {}";
  await expect(programs.render({ files: { "main.ts": main }, namespace: "shop" })).resolves.toMatchObject({
    manifests: [],
  });
});

test("programs of three namespaces that exhaust their memory are killed separately, and together stay within the budget", async () => {
  const programs = realPrograms({ totalMiB: planned.totalMiB });
  onTestFinished(() => programs.close());
  const quick = `import { ApiObject, type App, Chart } from "cdk8s";
    export default (app: App) =>
      new ApiObject(new Chart(app, "c"), "o", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "o" } });`;
  const filling = `export default function program(): void {
    const kept: Uint8Array[] = [];
    for (;;) kept.push(new Uint8Array(1_000_000).fill(1));
  }`;
  // The bundler bundles the libraries first, which an image contains already.
  await programs.render({ files: { "main.ts": quick }, namespace: "first" });
  let peak = 0;
  const sampling = setInterval(() => {
    peak = Math.max(peak, measureChildren());
  }, 5);
  onTestFinished(() => clearInterval(sampling));
  const failures = ["a", "b", "c"].map((namespace) =>
    programs.render({ files: { "main.ts": filling }, namespace }).catch((error: Error) => error),
  );
  await expect(programs.render({ files: { "main.ts": quick }, namespace: "shop" })).resolves.toMatchObject({
    origins: ["c/o"],
  });
  for (const failure of await Promise.all(failures)) {
    expect(failure).toMatchObject({
      reason: "RenderLimit",
      message: `Cannot render the program: it takes more than ${planned.totalMiB + 40} MiB of memory`,
    });
  }
  // In addition to the budget: the spare process, the bundler with the libraries, and allocations between two checks.
  const others = 35 + 75 + 100;
  expect(peak).toBeGreaterThan(planned.totalMiB / 2);
  expect(peak).toBeLessThan(planned.totalMiB + others);
}, 60_000);
