import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { removeCgroups } from "./cgroups.ts";
import { pathOf, readPlan } from "./layout.ts";

/**
 * Runs as a process of its own: `keeper.ts RUN_DIRECTORY`. It starts the node in namespaces of its own and, when its
 * standard input ends (its parent is gone, however that happened), ends it and removes what it has left: the cgroups
 * and the run directory. Mounts, links and processes go with the namespaces' first process, which the kernel sees to.
 */
const runDirectory = process.argv[2] ?? "";
const { cgroups } = readPlan(runDirectory);

/** Goes into the cgroups before the namespaces are made: they become the roots of what the node sees. */
const enter = `
  for folder; do [ "$folder" = -- ] && break; echo $$ > "$folder/cgroup.procs"; done
  while [ "$1" != -- ]; do shift; done; shift
  exec unshare --pid --mount --net --ipc --uts --cgroup --fork --kill-child --mount-proc -- "$@"`;

/**
 * The first process: a shell, because it must bury the orphans of containerd's shims, which Node would not. It ends with
 * its standard input, that is, with this keeper: also when the keeper is killed.
 */
const firstProcess = '"$@" < /dev/null & read -r _; exit 0';

const start = fileURLToPath(new URL("./start.ts", import.meta.url));
const node = ["bash", "-c", firstProcess, "init", process.execPath, start, runDirectory];
const child = spawn("bash", ["-ec", enter, "enter", ...cgroups, "--", ...node], {
  cwd: runDirectory,
  // No proxy: the node has no way out.
  env: { PATH: process.env["PATH"], HOME: runDirectory },
  stdio: ["pipe", "inherit", "inherit"],
});
const ended = once(child, "exit");

process.stdin.resume();
const parentGone = once(process.stdin, "end");
void tellFirstProcess();
await Promise.race([parentGone, ended]);
child.kill("SIGKILL");
await ended;
await removeCgroups(cgroups);
// Its end reports to the parent that the node is gone; the folder stays until the parent has read the logs and is gone too.
await parentGone;
await rm(runDirectory, { recursive: true, force: true });
process.exit(0);

/** Writes the process id of the namespaces' first process, which is the only child of `unshare`. */
async function tellFirstProcess(): Promise<void> {
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
