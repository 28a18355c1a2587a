import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, inject, test } from "vitest";
import { eventually } from "../../test/cluster/eventually.ts";
import { type Plan, pathOf, readPlan } from "./node/layout.ts";
import { RUN_PREFIX, removeStaleRuns } from "./stale-runs.ts";

const up = fileURLToPath(new URL("./up.ts", import.meta.url));

describe.skipIf(inject("endToEnd").missing !== undefined)("a run that is killed", () => {
  test("leaves no process, mount, link, cgroup or file, and changes no setting of the kernel", async () => {
    const settings = readSettings();
    const { plan, kill } = await startAndKill();

    await kill("parent");

    await eventually(() => !existsSync(plan.runDirectory), { what: "the run directory is deleted" });
    expect(leftovers(plan)).toEqual({ processes: [], mounts: [], cgroups: [] });
    expect(readdirSync("/sys/class/net")).not.toContain("fairlead0");
    expect(readSettings()).toEqual(settings);
  });

  test("also ends when its supervisor is killed with it, and the next run removes the remains", async () => {
    const { plan, kill } = await startAndKill();

    await kill("supervisor and parent");

    await eventually(() => expect(leftovers(plan)).toMatchObject({ processes: [], mounts: [] }), {
      what: "all processes have ended",
    });
    expect(existsSync(plan.runDirectory)).toBe(true);
    await removeStaleRuns();
    expect(existsSync(plan.runDirectory)).toBe(false);
    expect(leftovers(plan)).toEqual({ processes: [], mounts: [], cgroups: [] });
  });
});

interface Running {
  readonly plan: Plan;
  kill(who: "parent" | "supervisor and parent"): Promise<void>;
}

/** Starts a run in a separate process, and waits until its programs start. */
async function startAndKill(): Promise<Running> {
  const runsBefore = runs();
  const parent = spawn(process.execPath, [up, "--bare"], { stdio: "ignore" });
  const ended = new Promise((resolve) => parent.once("exit", resolve));
  const runDirectory = await eventually(
    () => {
      const folder = runs().find((path) => !runsBefore.includes(path));
      const hasStarted = folder !== undefined && existsSync(join(folder, "logs/containerd.log"));
      return hasStarted && folder;
    },
    { what: "the node starts" },
  );
  const plan = readPlan(runDirectory);
  // Wait for several programs: otherwise the test would also pass if the run had started nothing.
  await eventually(() => leftovers(plan).processes.length > 3, { what: "several programs run" });
  return {
    plan,
    async kill(who) {
      const owners = JSON.parse(readFileSync(pathOf(runDirectory, "owners"), "utf8")) as { pid: number }[];
      const pids = who === "parent" ? [parent.pid ?? 0] : owners.map(({ pid }) => pid).toReversed();
      for (const pid of pids) process.kill(pid, "SIGKILL");
      await ended;
    },
  };
}

function runs(): string[] {
  return readdirSync(tmpdir())
    .filter((name) => name.startsWith(RUN_PREFIX))
    .map((name) => join(tmpdir(), name));
}

function leftovers({ runDirectory, cgroups }: Plan): Record<"processes" | "mounts" | "cgroups", string[]> {
  const processes = readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`).startsWith(runDirectory);
    } catch {
      return false; // The process has ended, or is a zombie.
    }
  });
  const mounts = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
  return {
    processes,
    mounts: mounts.filter((line) => line.includes(runDirectory)),
    cgroups: cgroups.filter((folder) => existsSync(folder)),
  };
}

function readSettings(): string[] {
  const names = ["vm/overcommit_memory", "kernel/panic", "kernel/panic_on_oops", "net/ipv4/ip_forward"];
  return names.map((name) => readFileSync(`/proc/sys/${name}`, "utf8"));
}
