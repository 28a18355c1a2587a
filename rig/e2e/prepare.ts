import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { provideBinaries } from "../../cli/local-cluster/binaries.ts";
import { BinariesMissingError } from "../../cli/local-cluster/binary-plan.ts";
import { resolveLocations } from "../../cli/local-cluster/locations.ts";
import { isDebian, provideDebianPackages } from "./debian.ts";
import { makeCgroups, readHierarchies, removeCgroups } from "./node/cgroups.ts";

/** The parts of a run. */
export interface Prepared {
  readonly missing?: undefined;
  /** Programs of Kubernetes by name. */
  readonly binaries: Readonly<Record<string, string>>;
  /** Folder with the unpacked Debian packages. */
  readonly debianRoot: string;
}

/** The prepared parts, or why a run is not possible here. */
export type Preparation = Prepared | { readonly missing: string };

const required = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kubectl",
  "kubelet",
] as const;

/** Provides the parts of a run, from the caches if possible. Otherwise downloads about 40 MB and builds a kubelet. */
export async function prepare(report: (line: string) => void): Promise<Preparation> {
  if (process.platform !== "linux") return { missing: `Linux (this is ${process.platform})` };
  if (process.getuid?.() !== 0) return { missing: "root's rights" };
  const lacking = missingCapabilities();
  if (lacking !== undefined) return { missing: lacking };
  if (!readHierarchies().some(({ type, options }) => type === "cgroup" && options.includes("memory"))) {
    return { missing: "cgroups of version 1 (or hybrid)" };
  }
  if (!(await isDebian())) return { missing: "Debian 12, whose packages the node is made of" };
  const locations = resolveLocations({ env: process.env, home: homedir(), platform: process.platform });
  try {
    const debianRoot = await provideDebianPackages(locations.cacheDirectory);
    const refused = await tryNamespaces(debianRoot);
    if (refused !== undefined) return { missing: `namespaces, cgroups, overlays and bridges (${refused})` };
    // A build takes all processors, unlike the programs of a run.
    const env = { ...process.env, GOMAXPROCS: undefined };
    const { paths } = await provideBinaries({ locations, env, required, report });
    return { binaries: Object.fromEntries(paths), debianRoot };
  } catch (error) {
    if (error instanceof BinariesMissingError)
      return { missing: `${error.missing.join(", ")}, and a Go to build` };
    const [reason = ""] = String(error instanceof Error ? error.message : error).split("\n");
    return { missing: `Debian's packages or Kubernetes' programs (${reason})` };
  }
}

/** Tries the required operations in temporary namespaces. Returns the first error. */
async function tryNamespaces(debianRoot: string): Promise<string | undefined> {
  const script = `
    cd "$2"
    mkdir lower upper work merged memory
    mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work overlay merged
    mount -t cgroup -o memory cgroup memory
    "$1" ip link add probe0 type bridge
    "$1" ip link add probe1 type veth peer name probe2`;
  const namespaces = ["--pid", "--mount", "--net", "--ipc", "--uts", "--cgroup", "--fork", "--mount-proc"];
  // Use the location of the run directory, because not every file system supports an overlay.
  const folder = await mkdtemp(join(tmpdir(), "fairlead-probe-"));
  const command = ["bash", "-ec", script, "probe", join(debianRoot, "bin/busybox"), folder];
  try {
    await removeCgroups(makeCgroups(readHierarchies(), basename(folder)));
    await promisify(execFile)("unshare", [...namespaces, ...command], { timeout: 120_000 });
    return undefined;
  } catch (error) {
    const { stderr, message } = error as Error & { readonly stderr?: string };
    return stderr?.trim().split("\n")[0] || message;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Missing capabilities for namespaces, mounts, links and devices (capabilities(7)). Root in a container often lacks them. */
function missingCapabilities(): string | undefined {
  const [, hex = "0"] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  const wanted = { CAP_NET_ADMIN: 12n, CAP_SYS_CHROOT: 18n, CAP_SYS_ADMIN: 21n, CAP_MKNOD: 27n };
  const lacking = Object.entries(wanted).filter(([, bit]) => ((BigInt(`0x${hex}`) >> bit) & 1n) === 0n);
  return lacking.length > 0 ? lacking.map(([name]) => name).join(", ") : undefined;
}
