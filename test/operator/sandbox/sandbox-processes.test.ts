import { readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { RenderEndedError } from "../../../operator/errors.ts";
import { renderManifests } from "../../../operator/render/render-manifests.ts";
import { Turns } from "../../../operator/render/turns.ts";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { composeSandbox } from "../../../operator/sandbox/compose-sandbox.ts";
import { sandboxServices } from "../../../operator/sandbox/messages.ts";
import {
  createSandboxProcesses,
  type SandboxProcesses,
} from "../../../operator/sandbox/sandbox-processes.ts";
import { kernelIsolation, launcher } from "../../fakes/launcher.ts";
import { MemoryFiles } from "../../fakes/memory-files.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import { aFolder, program, request } from "../../fakes/renderer-bench.ts";
import { aSocketFolder, aZoneRunner, patient } from "../../fakes/sandbox-zone.ts";
import { patienceMs } from "../../patience.ts";

const clock = systemClock();

function aZone() {
  const folder = aSocketFolder();
  const log = new RecordingLogger();
  const zone = createSandboxProcesses({
    folder,
    isolation: kernelIsolation,
    containerMemory: undefined,
    clock,
    random: () => 0,
    log,
  });
  for (const service of sandboxServices) zone.start(service);
  onTestFinished(() => zone.close());
  const { runner, isolation } = aZoneRunner(folder);
  return { zone, log, runner, isolation };
}

const killReader = (zone: SandboxProcesses): void => {
  const pid = zone.pidOf("reader");
  if (pid !== undefined) process.kill(pid, "SIGKILL");
};

/** The result in this process. The size is an estimate: of characters here, and of bytes in the zone. */
const here = async (files: MemoryFiles) => ({
  ...(await renderManifests(files, new Turns(clock).begin())),
  size: expect.any(Number),
});

const files = new MemoryFiles(
  Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [
      `deep/${index}.yaml`,
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c${index}, uid: x}\ndata: {text: "${"é".repeat(index)}"}\n`,
    ]),
  ),
);

describe("the processes of the sandbox zone", () => {
  test("render a folder as it is rendered without them", async () => {
    expect(await aZone().runner.run(request("a/b", files), patient)).toEqual(await here(files));
  });

  test("report problems of a folder with the same messages", async () => {
    const wrong = new MemoryFiles({ "a.yaml": "apiVersion: v1\nkind: [x\n" });
    const [there, here_] = await Promise.allSettled([
      aZone().runner.run(request("a/b", wrong), patient),
      here(wrong),
    ]);
    expect(there).toMatchObject({ status: "rejected" });
    expect(there).toEqual(here_);
  });

  test("run a program, and report its errors with file and line", async () => {
    const { runner } = aZone();
    const text = `
      import { type App, Chart } from "cdk8s";
      import { ConfigMap } from "cdk8s-plus-27";
      export default (app: App, data: Record<string, string>) => {
        const chart = new Chart(app, "shop");
        const one = new ConfigMap(chart, "one", { data, metadata: { name: "one" } });
        const two = new ConfigMap(chart, "two", { metadata: { name: "two" } });
        two.node.addDependency(one);
        if (data["color"] === "red") throw new Error("not red");
      };`;
    const source = new MemoryFiles({ "main.ts": text });
    const rendered = await runner.run(request("a/b", source, program({ color: "blue" })), patient);
    expect(rendered.manifests).toMatchObject([
      { kind: "ConfigMap", metadata: { name: "one" }, data: { color: "blue" } },
      { kind: "ConfigMap", metadata: { name: "two" } },
    ]);
    expect(rendered).toMatchObject({ dependencies: new Map([[1, [0]]]), readPaths: ["main.ts"] });
    await expect(
      runner.run(request("a/b", source, program({ color: "red" })), patient),
    ).rejects.toMatchObject({
      reason: "RenderFailed",
      message: expect.stringMatching(/main\.ts:9:.*not red/),
    });
  });

  test("fail only a source that the operator would reject, and keep the connection", async () => {
    const { runner, log } = aZone();
    const odd = (object: string): Record<string, string> => ({
      "main.ts": `import { type App, ApiObject, Chart } from "cdk8s";
        export default (app: App) => { new ApiObject(new Chart(app, "c"), "o", ${object}); };`,
    });
    const programs = [
      odd('{ apiVersion: "v1", kind: "A".repeat(64), metadata: { name: "a" } }'),
      odd('{ apiVersion: ".x/v1", kind: "A", metadata: { name: "a" } }'),
      odd('{ apiVersion: "v" + "1".repeat(400), kind: "A", metadata: { name: "a" } }'),
      odd('{ apiVersion: "v1", kind: "A", metadata: { name: "a\\u0001" } }'),
      odd('{ apiVersion: "v1", kind: "A", metadata: { name: "a\\u200b" } }'),
      { "main.ts": 'import "./a\\u0001.ts"; export default () => {};', "a\u0001.ts": "" },
    ];
    const folder = { "a.json": '{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"x":{"__proto__":1}}' };
    const renders = [...programs, folder].map((content) =>
      runner.run(
        request("a/b", new MemoryFiles(content), content === folder ? undefined : program({})),
        patient,
      ),
    );
    for (const render of await Promise.allSettled(renders))
      expect(render).toMatchObject({ status: "rejected", reason: { reason: "RenderFailed" } });
    expect(log.entries.filter(({ level }) => level === "warn")).toEqual([]);
  });

  test("lose nothing when they are killed during a render", async () => {
    const { runner, zone, log } = aZone();
    await runner.run(request("a/b", files), patient);
    let hasListed = false;
    const slow = Object.assign(new MemoryFiles({ "x.yaml": "" }), {
      list: async () => {
        if (!hasListed) killReader(zone);
        hasListed = true;
        return await files.list();
      },
      read: files.read.bind(files),
    });
    expect(await runner.run(request("a/c", slow), patient)).toEqual(await here(files));
    expect(log.entries.map(({ message }) => message)).toContain("A process of a zone ended, restarting it");
  });

  test("fail only the render that crashes its process each time", async () => {
    const { runner, zone } = aZone();
    await runner.run(request("a/b", files), patient);
    const bomb = Object.assign(new MemoryFiles({}), {
      list: () => {
        killReader(zone);
        return files.list();
      },
    });
    const [bad, good] = await Promise.allSettled([
      runner.run(request("bad/bomb", bomb), patient),
      runner.run(request("a/b", files), patient),
    ]);
    expect(bad).toMatchObject({ status: "rejected", reason: expect.any(RenderEndedError) });
    expect(good).toEqual({ status: "fulfilled", value: await here(files) });
  });

  test("run only when there is something to render", async () => {
    const sandbox = composeSandbox({
      zoneSockets: undefined,
      isolation: kernelIsolation,
      containerMemory: undefined,
      longestProgramMs: 60_000,
      requireIsolation: false,
      memoryLimit: 2 ** 20,
      clock,
      random: () => 0,
      log: new RecordingLogger(),
    });
    onTestFinished(() => sandbox.close());
    const before = new Set(processesOfZone());
    const started = () => processesOfZone().filter((name) => !before.has(name));
    await sandbox.run(request("a/b", aFolder("one")), patient);
    expect(started()).toEqual([expect.stringMatching(/^\d+ sandbox\/reader$/)]);
    const empty = new MemoryFiles({ "main.ts": "export default () => {};" });
    await sandbox.run(request("a/c", empty, program({})), patient);
    expect(started()).toHaveLength(2);
  });

  test("kill a program that loops and has a lowered priority, of any namespace", async () => {
    const { runner, zone } = aZone();
    const loop = new MemoryFiles({ "main.ts": "export default () => { for (;;); };" });
    const call = request("a/b", loop, program());
    const run = runner.run(call, patient).catch((error: unknown) => error);
    const looping = await vi.waitUntil(
      () => childrenOf(zone.pidOf("programs")).find((pid) => getPriority(pid) === 19),
      { timeout: patienceMs },
    );
    const isRoot = process.getuid?.() === 0 && launcher !== undefined;
    expect(statusOf(looping)["Uid"]?.split("\t")[1]).toBe(isRoot ? "65534" : String(process.getuid?.()));
    expect(await run).toMatchObject({ reason: "RenderLimit" });
    await vi.waitUntil(() => !childrenOf(zone.pidOf("programs")).includes(looping), patienceMs);
  });

  test.runIf(launcher !== undefined)("are isolated by the kernel, and esbuild too", async () => {
    const { runner, zone, isolation } = aZone();
    const source = new MemoryFiles({ "main.ts": "export default () => {};" });
    await runner.run(request("a/b", source, program({})), patient);
    await runner.run(request("a/b", files), patient);
    const [reader, programs] = [zone.pidOf("reader") ?? 0, zone.pidOf("programs") ?? 0];
    const filters = (pid: number): string | undefined => statusOf(pid)["Seccomp_filters"];
    const children = childrenOf(programs);
    const esbuild = children.filter((pid) => statusOf(pid)["Name"] === "esbuild");
    expect([filters(reader), filters(programs)]).toEqual(["1", "1"]);
    expect(esbuild).toHaveLength(1);
    expect(children.map(filters)).toEqual(children.map(() => "2"));
    expect(statusOf(reader)["CapPrm"]).toBe("0000000000000000");
    const { inForce } = kernelIsolation;
    const all = (["reader", "programs", "program"] as const).map((name) => [name, inForce]);
    await vi.waitUntil(() => isolation.size === all.length, patienceMs);
    expect([...isolation].map(([name, { inForce: found }]) => [name, found]).toSorted()).toEqual(
      all.toSorted(),
    );
  });
});

function childrenOf(pid = 0): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
}

function statusOf(pid: number): Readonly<Record<string, string>> {
  const lines = readFileSync(`/proc/${pid}/status`, "utf8").split("\n");
  return Object.fromEntries(lines.map((line) => line.split(/:\t(.*)/)));
}

/** Processes of sandbox zones that this process started, each with its id. */
function processesOfZone(): readonly string[] {
  return childrenOf(process.pid).flatMap((pid) => {
    const zone = /--zone=(sandbox\/\w+)\0/.exec(readFileSync(`/proc/${pid}/cmdline`, "utf8"))?.[1];
    return zone === undefined ? [] : [`${pid} ${zone}`];
  });
}
