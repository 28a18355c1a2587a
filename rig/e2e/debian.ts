import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The packages of a node, and libraries that a minimal machine may lack. The names are those of Debian 12. */
const packages = [
  "containerd",
  "runc",
  "containernetworking-plugins",
  "busybox-static",
  "memcached",
  "nginx",
  "libseccomp2",
  "libevent-2.1-7",
  "libsasl2-2",
  "libpcre2-8-0",
  // For a repository over ssh.
  "openssh-client",
  "openssh-server",
  "libwrap0",
] as const;

export const DEBIAN_VERSION = "12";

/**
 * Returns a folder with unpacked Debian packages, which are downloaded once by `apt-get download`. No package is installed, and
 * no program is started.
 *
 * @throws Error if they cannot be downloaded.
 */
export async function provideDebianPackages(cacheDirectory: string): Promise<string> {
  const directory = join(cacheDirectory, `end-to-end-debian-${DEBIAN_VERSION}-${process.arch}-2`);
  if (existsSync(directory)) return directory;
  await mkdir(dirname(directory), { recursive: true });
  const draft = await mkdtemp(`${directory}.draft-`);
  try {
    const downloads = join(draft, "downloads");
    const root = join(draft, "root");
    await mkdir(downloads);
    await mkdir(root);
    await download(downloads);
    for (const file of await readdir(downloads)) await run("dpkg-deb", ["-x", join(downloads, file), root]);
    // If another run has created the folder first, use that one.
    await rename(root, directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    });
    return directory;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function download(directory: string): Promise<void> {
  // As root, apt would try to change the owner of the folder, and print a warning.
  const get = () =>
    run("apt-get", ["-o", "APT::Sandbox::User=root", "download", ...packages], {
      cwd: directory,
      timeout: 120_000,
    });
  try {
    await get();
  } catch {
    await run("apt-get", ["update"], { timeout: 120_000 }); // The package lists may be old or missing.
    await get();
  }
}

/** Whether /etc/os-release is that of Debian. */
export async function isDebian(): Promise<boolean> {
  const text = await readFile("/etc/os-release", "utf8").catch(() => "");
  return /^ID=debian$/m.test(text) && text.includes(`VERSION_ID="${DEBIAN_VERSION}"`);
}
