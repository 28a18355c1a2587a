import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { kinds } from "../../charts/bindings.ts";
import { crdsOf } from "../../cli/commands/crds.ts";
import { readSamples } from "../../cli/demo/samples.ts";
import { aSeparateCluster, eventually } from "./fixture.ts";
import { kubectlFor } from "./kubectl.ts";
import { aFolder } from "./operator.ts";

/** The applied ones, and the two custom resources that a Release deploys. */
const samples = readSamples().length + 2;
const program = resolve(import.meta.dirname, "../../cli/fairlead.js");

interface Started {
  readonly child: ChildProcess;
  /** Its output so far. */
  readonly shown: () => string;
  /** The last table: resource → READY. */
  readonly ready: () => Readonly<Record<string, string>>;
  /** The last table of Releases: name → READY and REVISION. */
  readonly releases: () => Readonly<Record<string, readonly [ready: string, revision: string]>>;
  /** Its folder for temporary files: empty in the end. */
  readonly folder: string;
  /** Processes whose command line contains the folder. */
  readonly processes: () => readonly string[];
  /** Sends a signal and returns the exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

async function start(args: readonly string[] = []): Promise<Started> {
  const folder = await aFolder();
  const child = spawn(process.execPath, [program, "start", ...args], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += String(chunk)));
  return {
    child,
    folder,
    shown: () => text,
    ready: () => Object.fromEntries(lastTable(text, "RESOURCE ").map(([name, ready]) => [name, ready])),
    releases: () =>
      Object.fromEntries(
        lastTable(text, "RELEASE ").map(([name, ready = "", revision = ""]) => [name, [ready, revision]]),
      ),
    processes: () => commandLines().filter((line) => line.includes(folder)),
    async stop(signal) {
      const ended = once(child, "exit");
      child.kill(signal);
      const [code] = (await ended) as [number | null];
      return code;
    },
  };
}

/** Cells of the last table with this title. */
function lastTable(text: string, title: string): readonly (readonly string[])[] {
  const table = text.slice(text.lastIndexOf(title)).split("\n\n")[0] ?? "";
  const rows = table.split("\n").slice(1);
  return rows.map((row) => row.split(/ {2,}/));
}

/** Command lines of all other processes. Only if the system provides them as files. */
function commandLines(): readonly string[] {
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .map(commandLineOf);
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(join("/proc", pid, "cmdline"), "utf8");
  } catch {
    // It has ended in the meantime.
    return "";
  }
}

async function untilAllReady(run: Started): Promise<void> {
  await eventually(
    () => {
      if (run.child.exitCode !== null) throw new Error(`it ended: ${run.shown()}`);
      const releases = Object.entries(run.releases());
      const waiting = releases.filter(([name]) => name.startsWith("shop-prod-"));
      const others = releases.filter((release) => !waiting.includes(release)).map(([, [ready]]) => ready);
      const ready = [...Object.values(run.ready()), ...others];
      const isHeldBack = waiting.length === 2 && waiting.every(([, [word]]) => word === "False");
      // The three samples, and those of the stages dev and staging.
      const isReady =
        others.length === 5 && ready.length >= samples && ready.every((word) => word === "True");
      if (!isHeldBack || !isReady) throw new Error(`the last output:\n${run.shown().slice(-4_000)}`);
      return true;
    },
    { what: "every sample is Ready" },
  );
}

/** Waits until the first sample is Ready. @returns The operator's process. */
async function untilOperator(run: Started): Promise<number> {
  await eventually(() => Object.values(run.ready()).includes("True"), {
    what: "a sample is Ready",
  });
  const isIts = (line: string): boolean => line.includes("\0run\0") && line.includes(run.folder);
  const [pid] = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry) && isIts(commandLineOf(entry)));
  if (pid === undefined) throw new Error("there is no process of the operator");
  return Number(pid);
}

async function untilNothingIsLeft(run: Started): Promise<void> {
  await eventually(() => run.processes().length === 0, { what: `the processes end: ${run.processes()}` });
  const left = () => readdirSync(run.folder, { recursive: true });
  const isEmpty = (): true => {
    expect(left(), run.shown().slice(-2_000)).toEqual([]);
    return true;
  };
  await eventually(isEmpty, { what: "the folders are deleted" });
}

test("fairlead start shows every sample Ready and committed, and Ctrl-C removes everything", async () => {
  const run = await start();
  await untilAllReady(run);
  expect(run.shown()).toMatch(/Job\/hello-world {2,}[0-9a-f]{10}/);
  const repository = /git -C (\S+) log --stat/.exec(run.shown())?.[1] ?? "";
  expect(readdirSync(repository)).toContain("refs");
  expect(run.processes().length).toBeGreaterThan(3);

  // A push from its clone is deployed a moment later, and a revert restores the previous state.
  const workTree = /^cd (\S+)$/m.exec(run.shown())?.[1] ?? "";
  const git = (...command: readonly string[]): string =>
    execFileSync("git", command, { cwd: workTree, encoding: "utf8" }).trim();
  for (const edit of [
    () => git("rm", "--quiet", "custom/echo.yaml") + git("commit", "--quiet", "--message=No greeting"),
    () => git("revert", "--no-edit", "HEAD"),
  ]) {
    edit();
    git("push", "--quiet");
    const isThere = readdirSync(join(workTree, "custom")).includes("echo.yaml");
    const wanted = ["True", git("rev-parse", "HEAD").slice(0, 10)];
    await eventually(() => run.releases()["default/shop-custom"]?.join() === wanted.join(), {
      what: "the push is deployed",
    });
    await eventually(() => (run.ready()["Echo default/shop-greeting"] === "True") === isThere, {
      what: `the Echo is ${isThere ? "there again" : "gone"}`,
    });
  }

  expect(await run.stop("SIGINT")).toBe(0);
  await untilNothingIsLeft(run);
});

test("fairlead start leaves nothing when it is stopped while the cluster starts", async () => {
  const run = await start();
  await eventually(() => run.shown().includes("Starting kube-apiserver"), { what: "the cluster starts" });
  expect(await run.stop("SIGINT")).toBe(0);
  await untilNothingIsLeft(run);
});

test("fairlead start leaves nothing when it is killed", async () => {
  const run = await start();
  await untilOperator(run);
  await run.stop("SIGKILL");
  await eventually(() => run.processes().length === 0, { what: "the processes end" });
});

test("fairlead start ends with the operator's last log lines when that ends", async () => {
  const run = await start();
  const operator = await untilOperator(run);
  const ended = once(run.child, "exit");
  process.kill(operator, "SIGKILL");
  expect((await ended)[0]).toBe(1);
  expect(run.shown()).toMatch(/the operator ended \(SIGKILL\). Last log lines:\n[\d:.]+ (INFO|WARN) /);
  await untilNothingIsLeft(run);
});

test("fairlead start on a user's cluster removes its samples again, and no others", async () => {
  const cluster = await aSeparateCluster();
  const kubectl = kubectlFor({ ...cluster, kubectlPath: cluster.kubectlPath ?? "kubectl" });
  await kubectl("apply --server-side -f -", { input: crdsOf(kinds) });
  await kubectl("wait --for=condition=Established --timeout=180s crd --all");
  const podSet = readSamples().find(({ kind }) => kind === "PodSet");
  await kubectl("apply --server-side -f -", { input: [{ ...podSet, spec: { size: 1 } }] });

  const run = await start([`--kubeconfig=${cluster.kubeconfigPath}`]);
  await untilAllReady(run);
  expect(run.shown()).toContain("Skipped PodSet podset-sample: it already exists");

  expect(await run.stop("SIGINT")).toBe(0);
  await untilNothingIsLeft(run);
  const names = await kubectl("get releases,echos,scheduledechos,memcacheds,easyservices,podsets -A -o name");
  expect(names.trim()).toBe("podset.apps.jicki.cn/podset-sample");
  expect(await kubectl("get podset podset-sample -n default -o jsonpath={.spec.size}")).toBe("1");
  expect(await kubectl("get crd -o name")).toContain("echos.mmontes.io");
});
