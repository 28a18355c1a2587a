import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { removeCgroups } from "./cgroups.ts";
import { pathOf, readPlan } from "./layout.ts";

/**
 * Runs as a separate process: `supervisor.ts RUN_DIRECTORY`. It starts the node in separate namespaces. When its standard input
 * ends, because the parent has ended or was killed, it ends the node and removes the cgroups and the run directory. The kernel
 * removes mounts, links and processes together with the namespaces' first process.
 */
const runDirectory = process.argv[2] ?? "";
const { cgroups } = readPlan(runDirectory);

/** Enters the cgroups before the namespaces are created, so that they are the roots that the node sees. */
const enter = `
  for folder; do [ "$folder" = -- ] && break; echo $$ > "$folder/cgroup.procs"; done
  while [ "$1" != -- ]; do shift; done; shift
  exec unshare --pid --mount --net --ipc --uts --cgroup --fork --kill-child --mount-proc -- "$@"`;

/**
 * The first process of the namespaces: a shell, because it must reap orphaned processes of containerd's shims, which Node does
 * not. It ends with its standard input, and so with this supervisor, even if the supervisor is killed.
 */
const firstProcess = '"$@" < /dev/null & read -r _; exit 0';

const start = fileURLToPath(new URL("./start.ts", import.meta.url));
const node = ["bash", "-c", firstProcess, "init", process.execPath, start, runDirectory];
const child = spawn("bash", ["-ec", enter, "enter", ...cgroups, "--", ...node], {
  cwd: runDirectory,
  // Without proxy settings, because the node has no connection to other networks.
  env: { PATH: process.env["PATH"], HOME: runDirectory },
  stdio: ["pipe", "inherit", "inherit"],
});
const ended = once(child, "exit");

process.stdin.resume();
const parentGone = once(process.stdin, "end");
void writeFirstProcess();
await Promise.race([parentGone, ended]);
child.kill("SIGKILL");
await ended;
await removeCgroups(cgroups);
// Its end reports to the parent that the node has ended. The folder stays until the parent has read the logs and ended.
await parentGone;
await rm(runDirectory, { recursive: true, force: true });
process.exit(0);

/** Writes the process id of the namespaces' first process, the only child of `unshare`. */
async function writeFirstProcess(): Promise<void> {
  const { pid } = child;
  while (child.exitCode === null && child.signalCode === null && pid !== undefined) {
    const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
    const isUnshare = readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "unshare";
    if (isUnshare && first !== undefined && first !== "") {
      writeFileSync(pathOf(runDirectory, "pid"), first);
      return;
    }
    await sleep(10);
  }
}
