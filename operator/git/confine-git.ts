import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import { type Layer, launchArguments } from "../sandbox/launch-arguments.ts";
import { credentialPlaces } from "./credential-places.ts";
import { type ConfineGit, unconfined } from "./git-command.ts";
import type { RemoteUrl } from "./remote-url.ts";

export interface ConfineGitOptions {
  readonly launcher: string;
  /** Layers that the kernel has: a process that would lack one of them does not start. */
  readonly inForce: readonly Layer[];
  /** Whether this process is root's: then git stays root's, without capabilities, because the clones are. */
  readonly isRoot: boolean;
  /** Folder of credentials for all remotes; undefined: they are in the folder of each clone. */
  readonly credentials?: string | undefined;
}

/** Programs, libraries and what comes with them: git, its helpers, ssh, gpg. Nothing there is secret. */
export const programFolders = ["/usr", "/bin", "/sbin", "/lib", "/lib64"];
/** Names, addresses and certificates. Secrets are mounted below /etc too, so it is not given as a whole. */
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
 * Walls around each git process: it sees the folder of its own clone, with the credentials that it needs, and programs. It
 * connects to the port of its own remote; a command that reads the clone connects to nothing.
 */
export function confineGit({ launcher, inForce, isRoot, credentials }: ConfineGitOptions): ConfineGit {
  const read = [...settingFiles, ...deviceFiles].filter((path) => existsSync(path));
  const execute = programFolders.filter((path) => existsSync(path));
  return (run) => {
    const { arguments: words, environment, program = "git", remote } = run;
    const file = findProgram(program, environment["PATH"]);
    const { HOME } = environment;
    // It cannot be started either way, and the caller knows what to say of that.
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

/** Path of a program on a PATH; undefined: there is none. */
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

/** What authenticates both sides to each other, for a command that uses the network. */
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

/** Certificates of authorities that the environment names, as far as there are any. */
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
  // git tries the second name, too.
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
