import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The packages of a node, with the libraries that a slim machine may lack. Names of Debian 12. */
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
 * Gives a folder with some Debian packages, downloaded once by `apt-get download` and unpacked there: nothing is
 * installed, and nothing gets started.
 *
 * @throws Error if they cannot be had.
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
    // Two runs at the same time do the same work, and one of them is the first.
    await rename(root, directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    });
    return directory;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function download(directory: string): Promise<void> {
  // As root, apt would hand the folder to a user of its own, and warn that it may not.
  const get = () =>
    run("apt-get", ["-o", "APT::Sandbox::User=root", "download", ...packages], {
      cwd: directory,
      timeout: 120_000,
    });
  try {
    await get();
  } catch {
    await run("apt-get", ["update"], { timeout: 120_000 }); // The lists may be old, or missing.
    await get();
  }
}

/** Tells from /etc/os-release. */
export async function isDebian(): Promise<boolean> {
  const text = await readFile("/etc/os-release", "utf8").catch(() => "");
  return /^ID=debian$/m.test(text) && text.includes(`VERSION_ID="${DEBIAN_VERSION}"`);
}
