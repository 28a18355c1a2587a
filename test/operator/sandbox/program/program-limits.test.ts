import { afterEach, describe, expect, test, vi } from "vitest";
import type { Rendered } from "../../../../operator/render/ports.ts";
import { FakeClock } from "../../../fakes/fake-clock.ts";
import { type RealPrograms, realPrograms } from "../../../fakes/programs.ts";

const week = 7 * 24 * 3_600_000;
const endless = { "main.ts": "export default function program(): void { for (;;); }" };
const quick = {
  "main.ts": `import { ApiObject, type App, Chart } from "cdk8s";
    export default (app: App) =>
      new ApiObject(new Chart(app, "c"), "o", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "o" } });`,
};

let programs: RealPrograms;
let slow = 0;
afterEach(() => programs.close());

function renderEndless(namespace: string): Promise<Rendered> {
  const onSlow = (): void => void slow++;
  const patience = { unwanted: new AbortController().signal, isSlow: false, onSlow };
  const run = programs.render({ files: endless, namespace, timeoutMs: week, patience });
  run.catch(() => {});
  return run;
}

/** Makes running programs take longer than a second, until this many do. */
async function untilSlow(count: number, clock: FakeClock): Promise<void> {
  slow = 0;
  await vi.waitUntil(
    async () => {
      // In small steps, because a starting process has a minute of this clock.
      await clock.advance(20);
      return slow >= count;
    },
    { timeout: 60_000, interval: 5 },
  );
}

describe("createPrograms()", () => {
  test("ends a program at the platform's limit, for any timeout of its Release", async () => {
    programs = realPrograms();
    await expect(programs.render({ files: endless, timeoutMs: week, longestMs: 300 })).rejects.toMatchObject({
      reason: "RenderLimit",
      message: "Cannot render the program: it runs longer than 0.3 s (the platform's limit)",
    });
  });

  test("does not mention the platform's limit if the Release's own timeout is shorter", async () => {
    programs = realPrograms();
    await expect(programs.render({ files: endless, timeoutMs: 300, longestMs: 60_000 })).rejects.toThrow(
      /longer than 0\.3 s$/,
    );
  });

  test("runs a program of a third namespace when endless programs of two use all permits", async () => {
    const clock = new FakeClock();
    programs = realPrograms({}, { clock });
    const runs = ["a", "a", "a", "a", "b", "b", "b", "b"].map(renderEndless);
    await untilSlow(8, clock);
    const rendered = programs.render({ files: quick, namespace: "shop" });
    await clock.advance(30_000);
    await expect(rendered).resolves.toMatchObject({ origins: ["c/o"] });
    await expect(Promise.any(runs.map((run) => run.catch((error: Error) => error)))).resolves.toMatchObject({
      reason: "RenderLimit",
      message: expect.stringContaining("while programs of other namespaces wait"),
    });
    // Eight processes start while earlier ones use all CPUs.
  }, 90_000);

  test("never runs processes of two namespaces at the same time without isolation", async () => {
    const warm: boolean[] = [];
    programs = realPrograms(
      {},
      { keptApart: false, observe: (seen) => void (seen.did === "run" && warm.push(seen.warm)) },
    );
    for (const namespace of ["a", "a", "b", "a"]) await programs.render({ files: quick, namespace });
    expect(warm).toEqual([false, true, false, false]);
  });

  test("reports when a process works for a program, without waiting and bundling, and also if it fails", async () => {
    programs = realPrograms({}, { keptApart: false });
    const heard: string[] = [];
    const render = (namespace: string, files: Readonly<Record<string, string>>): Promise<unknown> => {
      const onRunning = (isRunning: boolean): void => void heard.push(`${namespace} ${isRunning}`);
      const { signal: unwanted } = new AbortController();
      const patience = { unwanted, isSlow: false, onSlow: () => {}, onRunning };
      return programs.render({ files, namespace, timeoutMs: 500, patience }).catch(() => undefined);
    };
    // There is no isolation between these two, so the second one waits.
    await Promise.all([render("a", endless), render("b", quick)]);
    expect(heard.toSorted()).toEqual(["a false", "a true", "b false", "b true"]);
    const [first = "", ended = "", second = ""] = heard;
    expect([ended, second]).toEqual([
      first.replace("true", "false"),
      first.startsWith("a") ? "b true" : "a true",
    ]);
    // A program that cannot be bundled is not run.
    await render("c", { "main.ts": "import 'nothing';" });
    expect(heard).toHaveLength(4);
  });

  test("ends an endless program for another namespace without isolation", async () => {
    const clock = new FakeClock();
    programs = realPrograms({}, { clock, keptApart: false });
    const run = renderEndless("a");
    await untilSlow(1, clock);
    const rendered = programs.render({ files: quick, namespace: "shop" });
    await clock.advance(30_000);
    await expect(run).rejects.toThrow("while programs of other namespaces wait");
    await expect(rendered).resolves.toBeDefined();
  });
});
