import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { controlPlane } from "./control-plane.ts";
import { writeKubeconfigs, writeServerFiles } from "./credentials.ts";
import { CONTAINERD_SOCKET, libraryPath, network, pathOf, readPlan, searchPath } from "./layout.ts";
import { setUpMounts, setUpNetwork } from "./namespace.ts";
import { kubeletArguments, writeNodeConfig } from "./node-config.ts";
import { writeSshServer } from "./ssh-server.ts";

/**
 * Runs inside the namespaces: `start.ts RUN_DIRECTORY`. It starts all programs and ends when they are ready. The programs continue
 * as children of the first process.
 */
const plan = readPlan(process.argv[2] ?? "");
const { runDirectory, debianRoot, binaries } = plan;
const environment = {
  PATH: `${searchPath(plan)}:${process.env["PATH"]}`,
  LD_LIBRARY_PATH: libraryPath(plan),
  HOME: runDirectory,
};
const programs = new Map<string, ChildProcess>();

try {
  setUpMounts(plan);
  setUpNetwork(plan);
  writeServerFiles(plan);
  writeNodeConfig(plan);
  const ssh = writeSshServer(plan);
  start("sshd", ssh.program, ssh.args);
  await Promise.all([startControlPlane(), startContainerd(), startGit()]);
  start("kubelet", binaries["kubelet"] ?? "", kubeletArguments(plan));
  await until("the node to be Ready", () =>
    kubectl("get", "nodes", "-o", "jsonpath={..conditions[?(@.type=='Ready')].status}").includes("True"),
  );
  await until("the default service account", () =>
    kubectl("get", "serviceaccount", "default", "-n", "default", "--ignore-not-found").includes("default"),
  );
  writeFileSync(pathOf(runDirectory, "ready"), "");
} catch (error) {
  writeFileSync(pathOf(runDirectory, "failed"), String(error instanceof Error ? error.message : error));
}
process.exit(0);

async function startControlPlane(): Promise<void> {
  for (const [name, args] of controlPlane(plan)) {
    start(name, binaries[name] ?? "", args);
    if (name === "kube-apiserver") {
      await until("the API server to be ready", () => isReady("https://127.0.0.1:443/readyz"));
      writeKubeconfigs(plan);
    }
  }
}

async function startContainerd(): Promise<void> {
  start("containerd", join(debianRoot, "usr/bin/containerd"), [
    "--config",
    pathOf(runDirectory, "containerdConfig"),
  ]);
  const ctr = (...args: string[]) =>
    execFileSync(join(debianRoot, "usr/bin/ctr"), ["-a", CONTAINERD_SOCKET, "-n", "k8s.io", ...args], {
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
  await until("containerd", () => ctr("version").length > 0);
  const archives = plan.images.map((folder) => importImage(folder));
  await Promise.all(archives);
}

/** Imports a docker-archive, which is created while it is read. */
async function importImage(folder: string): Promise<void> {
  const command = 'tar -c -C "$1" . | ctr -a "$2" -n k8s.io images import -';
  const child = spawn("bash", ["-o", "pipefail", "-c", command, "import", folder, CONTAINERD_SOCKET], {
    env: environment,
    stdio: ["ignore", logOf("images"), logOf("images")],
  });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  if (code !== 0) throw new Error(`Cannot import the image in "${folder}": ${lastLinesOf("images")}`);
}

async function startGit(): Promise<void> {
  const script = fileURLToPath(new URL("./git-server.ts", import.meta.url));
  start("git-server", process.execPath, [script, runDirectory]);
  await until("the git server", () => isReady(`https://${network.address}:${network.gitPort}/ready`));
}

function start(name: string, path: string, args: readonly string[]): void {
  const log = logOf(name);
  const child = spawn(path, args, { cwd: runDirectory, env: environment, stdio: ["ignore", log, log] });
  child.once("error", () => undefined); // The wait for the program reports the error.
  programs.set(name, child);
}

function logOf(name: string): number {
  mkdirSync(join(runDirectory, "logs"), { recursive: true });
  return openSync(join(runDirectory, "logs", `${name}.log`), "a");
}

function lastLinesOf(name: string): string {
  return readFileSync(join(runDirectory, "logs", `${name}.log`), "utf8")
    .trimEnd()
    .split("\n")
    .slice(-8)
    .join("\n");
}

function kubectl(...args: string[]): string {
  return execFileSync(
    binaries["kubectl"] ?? "",
    [`--kubeconfig=${pathOf(runDirectory, "kubeconfig")}`, `--cache-dir=${runDirectory}/cache`, ...args],
    { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  );
}

/** Waits for a condition. Fails if a program has ended. */
async function until(what: string, check: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 360_000;
  for (;;) {
    try {
      if (await check()) return;
    } catch {
      // The condition is not met yet.
    }
    for (const [name, { exitCode, signalCode }] of programs) {
      if (exitCode !== null || signalCode !== null) throw new Error(`${name} ended\n${lastLinesOf(name)}`);
    }
    if (performance.now() > deadline) throw new Error(`Timed out after 360 s waiting for ${what}`);
    await sleep(100);
  }
}

function isReady(url: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    // The certificate is not verified: the server has just created it, in a separate network.
    get(url, { rejectUnauthorized: false, agent: false, timeout: 2_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).once("error", reject);
  });
}
