import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { type CgroupHierarchy, readHierarchies } from "./cgroups.ts";
import { network, type Plan, pathOf } from "./layout.ts";

/** Kernel settings that the kubelet writes. Here it writes copies. */
const kubeletSettings = [
  "vm/overcommit_memory",
  "vm/panic_on_oom",
  "kernel/panic",
  "kernel/panic_on_oops",
  "kernel/keys/root_maxkeys",
  "kernel/keys/root_maxbytes",
];

const cgroupRoot = "/sys/fs/cgroup";

/** Sets up our mount namespace: separate /run, /var/lib and /var/log, separate cgroups, copies of kernel settings. */
export function setUpMounts({ runDirectory }: Pick<Plan, "runDirectory">): void {
  const hierarchies = readHierarchies();
  const links = readdirSync(cgroupRoot)
    .filter((name) => lstatSync(join(cgroupRoot, name)).isSymbolicLink())
    .map((name) => ({ name, target: readlinkSync(join(cgroupRoot, name)) }));
  mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", cgroupRoot);
  for (const hierarchy of hierarchies) mountHierarchy(hierarchy);
  for (const { name, target } of links) symlinkSync(target, join(cgroupRoot, name));

  const settings = join(runDirectory, "kernel-settings");
  mkdirSync(settings);
  for (const setting of kubeletSettings) {
    const [original, copy] = [`/proc/sys/${setting}`, join(settings, basename(setting))];
    if (!existsSync(original)) continue;
    writeFileSync(copy, readFileSync(original)); // copyFileSync() would copy nothing, because these files report a size of 0.
    mount("--bind", copy, original);
  }
  for (const [folder, file] of [
    ["/var/lib", "varLib"],
    ["/var/log", "varLog"],
  ] as const) {
    const own = pathOf(runDirectory, file);
    mkdirSync(own);
    mount("--bind", own, folder);
  }
  mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", "/run");
}

/** Creates the bridge for pods before the first pod, because the kubelet and other programs listen on its address. */
export function setUpNetwork({ debianRoot }: Pick<Plan, "debianRoot">): void {
  const ip = (...args: string[]) => execFileSync(join(debianRoot, "bin/busybox"), ["ip", ...args]);
  const { bridge, address, prefixLength, serviceAddress } = network;
  ip("link", "set", "lo", "up");
  ip("addr", "add", `${serviceAddress}/32`, "dev", "lo");
  ip("link", "add", bridge, "type", "bridge");
  // Otherwise it uses the lowest address of its links, which changes with new pods: then old pods lose network for half a minute.
  ip("link", "set", bridge, "address", "0a:58:0a:58:00:01");
  ip("addr", "add", `${address}/${prefixLength}`, "dev", bridge);
  ip("link", "set", bridge, "up");
}

function mountHierarchy({ type, mountPoint, options }: CgroupHierarchy): void {
  const folder = join(cgroupRoot, mountPoint === cgroupRoot ? "" : basename(mountPoint));
  mkdirSync(folder, { recursive: true });
  mount("-t", type, ...(options === "" ? [] : ["-o", options]), type, folder);
}

function mount(...args: string[]): void {
  execFileSync("mount", args, { stdio: ["ignore", "inherit", "inherit"] });
}
