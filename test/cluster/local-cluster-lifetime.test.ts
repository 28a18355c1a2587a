import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { readClusterRecord } from "../../cli/local-cluster/cluster-record.ts";
import { down, readStatus, runDirectoryOf, up } from "../../cli/local-cluster/named-cluster.ts";
import { isRunning } from "../../cli/local-cluster/process-identity.ts";
import { eventually } from "./fixture.ts";

const modulePath = (name: string) => new URL(`../../cli/local-cluster/${name}`, import.meta.url).href;

/** Runs TypeScript in a separate process. */
function aProcess(program: string, env: NodeJS.ProcessEnv = process.env): ChildProcess {
  const args = ["--input-type=module-typescript", "--eval", program];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function firstLineOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("Cannot read from a process without output");
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return line;
}

/** A folder for named clusters that is removed with the test, together with its clusters. */
async function aStateDirectory(name: string): Promise<NodeJS.ProcessEnv> {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-state-"));
  const env = { ...process.env, FAIRLEAD_STATE: folder };
  onTestFinished(async () => {
    await down({ name, env });
    await rm(folder, { recursive: true });
  });
  return env;
}

test("a cluster ends with the process that started it, also when that is killed", async () => {
  const parent = aProcess(`
    import { startLocalCluster } from "${modulePath("local-cluster.ts")}";
    const cluster = await startLocalCluster({ name: "orphan", only: "api", fsync: false });
    console.log(cluster.runDirectory);
    setInterval(() => {}, 1000);
  `);
  const runDirectory = await firstLineOf(parent);
  const processes = Object.values(readClusterRecord(runDirectory)?.processes ?? {});
  expect(processes.map(isRunning)).toEqual([true, true]);

  parent.kill("SIGKILL");

  await eventually(() => !processes.some(isRunning), { what: "etcd and kube-apiserver end" });
  await eventually(() => !existsSync(runDirectory), { what: "the run directory is deleted" });
});

test("an interrupted start leaves nothing behind", async () => {
  const env = await aStateDirectory("cut");
  const starter = aProcess(
    `
    import { up } from "${modulePath("named-cluster.ts")}";
    await up({ name: "cut", env: process.env, fsync: false, report: (line) => console.log(line) });
  `,
    env,
  );
  const runDirectory = runDirectoryOf({ name: "cut", env });
  const hasServer = () => readClusterRecord(runDirectory)?.processes["kube-apiserver"] !== undefined;
  await eventually(hasServer, { what: "the API server is started", intervalMs: 20 });
  const processes = Object.values(readClusterRecord(runDirectory)?.processes ?? {});

  starter.kill("SIGINT");

  await eventually(() => !processes.some(isRunning), { what: "its processes end" });
  await eventually(async () => (await readdir(join(runDirectory, ".."))).length === 0, {
    what: "its files are deleted",
  });
});

test("a named cluster continues after the command, starts once, and is repaired by another `up`", async () => {
  const options = { name: "kept", env: await aStateDirectory("kept") };
  const both = await Promise.all([up({ ...options, fsync: false }), up({ ...options, fsync: false })]);
  expect(both.map(({ outcome }) => outcome).toSorted()).toEqual(["running", "started"]);
  const states = async () => (await readStatus(options))?.components.map(({ state }) => state);
  expect(await states()).toEqual(Array(5).fill("healthy"));

  const [{ cluster }] = both;
  await cluster.stopComponent("kube-scheduler", { graceMs: 0 });
  expect(await states()).toEqual(["healthy", "healthy", "healthy", "stopped", "healthy"]);
  expect((await up(options)).outcome).toBe("resumed");
  expect(await states()).toEqual(Array(5).fill("healthy"));

  const processes = Object.values(readClusterRecord(cluster.runDirectory)?.processes ?? {});
  expect(await down(options)).toBe(true);
  expect(processes.some(isRunning)).toBe(false);
  expect(existsSync(cluster.runDirectory)).toBe(false);
});
