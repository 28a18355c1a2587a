import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A cgroup hierarchy of this machine, as visible to this process. */
export interface CgroupHierarchy {
  readonly type: "cgroup" | "cgroup2";
  readonly mountPoint: string;
  /** Mount options that name the hierarchy, such as `cpu,cpuacct` or `none,name=systemd`; empty for version 2. */
  readonly options: string;
  /** The folder of this process's own cgroup. */
  readonly ownFolder: string;
}

/** Parses /proc/self/cgroup and /proc/self/mountinfo (proc(5), cgroups(7)). Pure. */
export function hierarchiesOf(cgroup: string, mountInfo: string): CgroupHierarchy[] {
  const mounts = mountInfo
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [before = "", after = ""] = line.split(" - ");
      const [, , , root = "/", mountPoint = ""] = before.split(" ");
      const [type = "", , options = ""] = after.split(" ");
      return type === "cgroup" || type === "cgroup2"
        ? [{ type, root, mountPoint, options: options.split(",") } as const]
        : [];
    });
  return cgroup
    .trim()
    .split("\n")
    .flatMap((line): CgroupHierarchy[] => {
      const [, names = "", ...path] = line.split(":");
      const wanted = names === "" ? [] : names.split(",");
      const mount = mounts.find(({ type, options }) =>
        wanted.length === 0 ? type === "cgroup2" : wanted.every((name) => options.includes(name)),
      );
      if (mount === undefined) return [];
      const { type, root, mountPoint } = mount;
      const own = path.join(":");
      const below = root !== "/" && own.startsWith(root) ? own.slice(root.length) : own;
      const options = names.startsWith("name=") ? `none,${names}` : names;
      return [{ type, mountPoint, options, ownFolder: join(mountPoint, below) }];
    });
}

export function readHierarchies(): CgroupHierarchy[] {
  return hierarchiesOf(
    readFileSync("/proc/self/cgroup", "utf8"),
    readFileSync("/proc/self/mountinfo", "utf8"),
  );
}

/** Creates a child of our own cgroup in every hierarchy, and returns their folders. */
export function makeCgroups(hierarchies: readonly CgroupHierarchy[], name: string): string[] {
  return hierarchies.map(({ ownFolder, options }) => {
    const folder = join(ownFolder, name);
    mkdirSync(folder);
    // A new cpuset has neither processors nor memory, and accepts no process without them.
    if (options.split(",").includes("cpuset")) {
      for (const file of ["cpuset.cpus", "cpuset.mems"]) {
        writeFileSync(join(folder, file), readFileSync(join(ownFolder, file)));
      }
    }
    return folder;
  });
}

/** Removes cgroups with all cgroups below them. Waits a short time for killed processes to end. */
export async function removeCgroups(folders: readonly string[]): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (const folder of folders) {
    while (!tryRemove(folder)) {
      if (performance.now() > deadline) throw new Error(`Cannot remove the cgroup "${folder}": it is in use`);
      await sleep(20);
    }
  }
}

function tryRemove(folder: string): boolean {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory() && !tryRemove(join(folder, entry.name))) return false;
    }
    rmdirSync(folder);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return true;
    if (code === "EBUSY") return false;
    throw error;
  }
}
