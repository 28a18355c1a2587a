import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import { type Layer, launchArguments } from "../sandbox/launch-arguments.ts";
import { credentialPlaces } from "./credential-places.ts";
import { type ConfineGit, unconfined } from "./git-command.ts";
import type { RemoteUrl } from "./remote-url.ts";

export interface ConfineGitOptions {
  readonly launcher: string;
  /** Layers that the kernel supports. A process that would lack one of them does not start. */
  readonly inForce: readonly Layer[];
  /** Whether this process runs as root. Git then runs as root without capabilities, because root owns the clones. */
  readonly isRoot: boolean;
  /** Folder with the credentials for all remotes; undefined: the folder of each clone has its own. */
  readonly credentials?: string | undefined;
}

/** Programs, libraries and their data: git, its helpers, ssh, gpg. Nothing there is secret. */
export const programFolders = ["/usr", "/bin", "/sbin", "/lib", "/lib64"];
/** Names, addresses and certificates. Secrets are mounted below /etc too, so the rest of /etc is hidden. */
export const settingFiles = [
  ...["hosts", "host.conf", "resolv.conf", "nsswitch.conf", "gai.conf", "services", "protocols", "passwd"],
  ...[
    "group",
    "localtime",
    "ssl",
    "ca-certificates",
    "pki",
    "gnutls",
    "crypto-policies",
    "ssh",
    "ld.so.cache",
  ],
  ...["ld.so.conf", "ld.so.conf.d", "ld-musl-x86_64.path", "ld-musl-aarch64.path", "alternatives"],
].map((name) => `/etc/${name}`);
export const deviceFiles = ["/dev/urandom", "/dev/random", "/dev/zero"];
const DNS_PORT = 53;
const ports: Readonly<Record<RemoteUrl["protocol"], number | undefined>> = {
  https: 443,
  ssh: 22,
  file: undefined,
};
const proxies = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];

/**
 * Isolation of each git process: it can access programs and the folder of its own clone, with the credentials that it
 * needs. It can connect to the port of its own remote; a command that reads the clone can connect to nothing.
 */
export function confineGit({ launcher, inForce, isRoot, credentials }: ConfineGitOptions): ConfineGit {
  const read = [...settingFiles, ...deviceFiles].filter((path) => existsSync(path));
  const execute = programFolders.filter((path) => existsSync(path));
  return (run) => {
    const { arguments: words, environment, program = "git", remote } = run;
    const file = findProgram(program, environment["PATH"]);
    const { HOME } = environment;
    // The program cannot be started with or without isolation, and the caller reports that.
    if (file === undefined || HOME === undefined) return unconfined(run);
    const rules = {
      read: [...read, ...localPathsOf(remote), ...networkFilesOf(run, credentials)],
      write: [HOME, "/dev/null"],
      execute,
      tcpConnect: portsOf(remote, environment),
      seccomp: "git",
      limits: { core: 0 },
      keepEnvironment: true,
      require: inForce,
      ...(isRoot && { user: 0 }),
    } as const;
    return { file: launcher, arguments: launchArguments(rules, [file, ...words]) };
  };
}

/** Path of a program on a PATH; undefined: not found. */
export function findProgram(name: string, path = ""): string | undefined {
  return path
    .split(":")
    .filter((folder) => folder.startsWith("/"))
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Files that authenticate both sides, for a command that uses the network. */
function networkFilesOf(
  { remote, environment }: Parameters<ConfineGit>[0],
  credentials: string | undefined,
): readonly string[] {
  if (remote === undefined || remote.protocol === "file") return [];
  return [
    ...certificateFiles(environment),
    ...(credentials === undefined ? [] : credentialPlaces(credentials)),
  ];
}

/** Files with certificate authorities that the environment names, if they exist. */
export function certificateFiles(
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const { SSL_CERT_FILE: file = "", SSL_CERT_DIR: folders = "" } = environment;
  return [file, ...folders.split(":")].filter((path) => path.startsWith("/") && existsSync(path));
}

/** A repository on this machine. */
export function localPathsOf(remote: RemoteUrl | undefined): readonly string[] {
  if (remote?.protocol !== "file") return [];
  const path = remote.url.startsWith("/") ? remote.url : decodeURIComponent(new URL(remote.url).pathname);
  // Git also tries the name with the suffix.
  return [path, `${path.replace(/\/+$/, "")}.git`].filter((place) => existsSync(place));
}

/** The TCP ports that git needs for a remote. */
export function portsOf(
  remote: RemoteUrl | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): readonly number[] | "any" {
  if (remote === undefined || remote.protocol === "file") return [];
  if (proxies.some((name) => (environment[name] ?? "") !== "")) return "any";
  const own = URL.parse(remote.url)?.port ?? "";
  return [own === "" ? (ports[remote.protocol] ?? 0) : Number(own), DNS_PORT];
}
