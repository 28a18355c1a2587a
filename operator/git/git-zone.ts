import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock, Logger, Random } from "../ports.ts";
import { codeFilesOf } from "../sandbox/code-files.ts";
import { toIsolationReport } from "../sandbox/isolation-report.ts";
import { type KernelIsolation, noKernelIsolation } from "../sandbox/kernel-isolation.ts";
import { type LaunchRules, launchArguments } from "../sandbox/launch-arguments.ts";
import { zoneCommand } from "../sandbox/zone-command.ts";
import { type ZoneCommand, ZoneProcess } from "../zones/zone-process.ts";
import { certificateFiles, deviceFiles, findProgram, programFolders, settingFiles } from "./confine-git.ts";
import { variablesForGit } from "./git-environment.ts";

// How the process of a zone that runs git is started and restarted, by the operator or by the main process of a
// container.

/**
 * Options for starting the process of such a zone. None of them is secret, because other users can read command lines.
 */
export interface GitZoneOptions {
  /** Folder of its socket. */
  readonly folder: string;
  /** Folder of the clones. */
  readonly cache: string;
  /** Kernel isolation of the process, and of git processes. */
  readonly isolation: KernelIsolation;
  /** Whether git does not run where isolation is missing. */
  readonly requireIsolation: boolean;
  readonly logLevel: string;
  readonly logFormat: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Pipes of git processes, and connections. */
const OPEN_FILES = 1_023;
/** Time for the process to end git processes and then itself. After that it is killed. */
const END_MS = 3_000;
/** Timeout of `git --version`, on a busy machine. */
const TRY_MS = 10_000;

/** What the process of a zone may access in addition to what git needs. */
export interface GitZoneRules extends Pick<LaunchRules, "tcpConnect" | "tcpListen"> {
  /** Paths to read. */
  readonly read: readonly string[];
  /** Repositories in which it may write and run programs. */
  readonly local?: readonly string[];
}

/** A zone that runs git. */
export interface GitZone<Options extends GitZoneOptions> {
  readonly name: string;
  /** Path of the process's own code. */
  readonly worker: string;
  /** Size of V8's heap and of its young generation, in MiB. */
  readonly heapMiB: number;
  readonly semiSpaceMiB?: number;
  /** Flags of the process in addition to those of every such zone (git-worker.ts). */
  readonly flags: (options: Options) => readonly string[];
  readonly rules: (options: Options, environment: Environment) => GitZoneRules;
}

/** Path of the socket that the process of a zone listens on. */
export function socketIn(folder: string, zone: string): string {
  return join(folder, `${zone}.sock`);
}

/**
 * The command line of the process, with the kernel isolation that is available.
 *
 * @param environment Git gets PATH and the network settings from it.
 */
export function gitZoneCommand<Options extends GitZoneOptions>(
  zone: GitZone<Options>,
  options: Options,
  environment: Environment,
): ZoneCommand {
  const { folder, cache, isolation, requireIsolation, logLevel, logFormat } = options;
  const { launcher } = isolation;
  return zoneCommand({
    ...zone,
    socket: socketIn(folder, zone.name),
    flags: [
      `--cache=${cache}`,
      ...zone.flags(options),
      `--isolation=${JSON.stringify(toIsolationReport(isolation))}`,
      ...(launcher === undefined ? [] : [`--launcher=${launcher}`]),
      ...(requireIsolation ? ["--require-isolation"] : []),
      `--log-level=${logLevel}`,
      ...(logFormat === undefined ? [] : [`--log-format=${logFormat}`]),
    ],
    environment: { TZ: "UTC", ...variablesForGit(environment) },
    launcher,
    rules: () => rulesOf(zone, options, environment),
  });
}

/**
 * Access of the process: it writes to the clones, reads its own code and what git reads, connects over TCP, and starts
 * git.
 */
function rulesOf<Options extends GitZoneOptions>(
  zone: GitZone<Options>,
  options: Options,
  environment: Environment,
): LaunchRules {
  const { launcher, inForce, node } = options.isolation;
  const { read, local = [], ...network } = zone.rules(options, environment);
  const settings = [...settingFiles, ...deviceFiles, ...certificateFiles(environment)];
  const own = [...node.read, ...codeFilesOf(zone.worker)];
  const programs = [...programFolders, ...node.execute, launcher ?? ""];
  return {
    read: [...own, ...settings, ...read].filter((path) => existsSync(path)),
    write: [options.cache, "/dev/null", ...local],
    execute: [...programs, ...local].filter((path) => existsSync(path)),
    ...network,
    seccomp: "source",
    limits: { core: 0, "open-files": OPEN_FILES },
    keepEnvironment: true,
    require: inForce,
    user: 0,
  };
}

export interface GitZoneProcessOptions {
  /** Git gets PATH and the network settings from it. */
  readonly environment: Environment;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** The process of a zone that runs git. */
export interface GitZoneProcess {
  /** Undefined while the process is being restarted. */
  readonly pid: number | undefined;
  end(): Promise<void>;
}

export interface StartGitZoneOptions extends GitZoneProcessOptions {
  /** Called after each start of the process. */
  readonly onStart?: () => void;
}

/** Keeps the process of a zone running. Its log is written to the log of this process. */
export function startGitZone<Options extends GitZoneOptions>(
  zone: GitZone<Options>,
  options: Options,
  { environment, clock, random, log, onStart }: StartGitZoneOptions,
): GitZoneProcess & { readonly isConfined: boolean; restart(): void } {
  const { name } = zone;
  const isolation = isolationForGit(options, rulesOf(zone, options, environment), environment);
  if (isolation.problem !== undefined)
    log.warn("The kernel does not isolate a zone", { zone: name, reason: isolation.problem });
  const onLog = (chunk: Buffer): void => void process.stderr.write(chunk);
  const command = (): ZoneCommand => {
    onStart?.();
    return gitZoneCommand(zone, { ...options, isolation }, environment);
  };
  const started = new ZoneProcess({ name, clock, random, log, command, onLog });
  return {
    get pid() {
      return started.pid;
    },
    isConfined: isolation.launcher !== undefined,
    restart: () => started.restart(),
    end: () => started.end({ withinMs: END_MS }),
  };
}

/** The operator's side of a zone: its socket and its process. */
export interface GitZonePlace {
  /** Path of the socket. */
  readonly socket: string;
  /** Starts the process, if it belongs to the operator. */
  start(): void;
  close(): Promise<void>;
}

/**
 * Determines the socket of a zone, and whether the operator starts its process. Starts nothing.
 *
 * @param zoneSockets Folder with a folder of sockets for each zone. Undefined: the zone's process is started here.
 */
export function placeOfZone(
  name: string,
  zoneSockets: string | undefined,
  start: (folder: string) => GitZoneProcess,
): GitZonePlace {
  if (zoneSockets !== undefined) {
    const socket = socketIn(join(zoneSockets, name), name);
    return { socket, start: () => undefined, close: async () => undefined };
  }
  // Of mode 0700, so that no other user can replace the socket of the zone.
  const folder = mkdtempSync(join(tmpdir(), `fairlead-${name}-`));
  let started: GitZoneProcess | undefined;
  return {
    socket: socketIn(folder, name),
    start: () => {
      started ??= start(folder);
    },
    close: async () => {
      await started?.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * The isolation for a process that starts git. None, with the reason, if git does not start with it: git may be
 * installed in any folder.
 */
function isolationForGit(
  { isolation, cache }: GitZoneOptions,
  rules: LaunchRules,
  environment: Environment,
): KernelIsolation {
  const { launcher } = isolation;
  if (launcher === undefined) return isolation;
  try {
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    const git = findProgram("git", environment["PATH"]);
    // Without git, the process itself reports what is missing.
    if (git === undefined) return isolation;
    execFileSync(launcher, launchArguments(rules, [git, "--version"]), {
      cwd: "/",
      env: {},
      stdio: ["ignore", "ignore", "pipe"],
      timeout: TRY_MS,
    });
    return isolation;
  } catch (error) {
    const { stderr = "" } = error as { readonly stderr?: Buffer | string };
    const [line = ""] = String(stderr).trim().split("\n");
    return { ...noKernelIsolation(line === "" ? (error as Error).message : line) };
  }
}
