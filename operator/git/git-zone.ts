import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock, Logger, Random } from "../ports.ts";
import { codeFilesOf } from "../sandbox/code-files.ts";
import { type KernelWalls, noKernelWalls } from "../sandbox/kernel-walls.ts";
import { type LaunchRules, launchArguments } from "../sandbox/launch-arguments.ts";
import { toWallsReport } from "../sandbox/walls-report.ts";
import { zoneCommand } from "../sandbox/zone-command.ts";
import { type ZoneCommand, ZoneProcess } from "../zones/zone-process.ts";
import { certificateFiles, deviceFiles, findProgram, programFolders, settingFiles } from "./confine-git.ts";
import { variablesForGit } from "./git-environment.ts";

// How the operator, or the main process of a container, starts the process of a zone that runs git, and restarts it.

/** What the process of such a zone is started with. Nothing in it is secret: other users see command lines. */
export interface GitZoneOptions {
  /** Folder of its socket. */
  readonly folder: string;
  /** Folder of the clones. */
  readonly cache: string;
  /** Walls of the kernel for the process, and for git's processes. */
  readonly walls: KernelWalls;
  /** Whether git does not run where walls around it are missing. */
  readonly requireWalls: boolean;
  readonly logLevel: string;
  readonly logFormat: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Pipes of git's processes, and connections. */
const OPEN_FILES = 1_023;
/** The process ends git's processes, and then itself, in this time; else it is killed. */
const END_MS = 3_000;
/** Longest time that git may take to say its version, on a busy machine. */
const TRY_MS = 10_000;

/** What the process of a zone may do beside what git needs. */
export interface GitZoneRules extends Pick<LaunchRules, "tcpConnect" | "tcpListen"> {
  /** Places to read. */
  readonly read: readonly string[];
  /** Repositories to write to, and to run programs of. */
  readonly local?: readonly string[];
}

/** A zone that runs git. */
export interface GitZone<Options extends GitZoneOptions> {
  readonly name: string;
  /** Path of the process's own code. */
  readonly worker: string;
  /** V8's heap, in MiB, and the part of it for what was just made. */
  readonly heapMiB: number;
  readonly semiSpaceMiB?: number;
  /** Flags of the process beside those that each such zone has (git-worker.ts). */
  readonly flags: (options: Options) => readonly string[];
  readonly rules: (options: Options, environment: Environment) => GitZoneRules;
}

/** Path of the socket that the process of a zone listens on. */
export function socketIn(folder: string, zone: string): string {
  return join(folder, `${zone}.sock`);
}

/**
 * The command line of the process. The kernel's walls are around it, as far as there are any.
 *
 * @param environment Git gets of it where programs are and how the network is reached.
 */
export function gitZoneCommand<Options extends GitZoneOptions>(
  zone: GitZone<Options>,
  options: Options,
  environment: Environment,
): ZoneCommand {
  const { folder, cache, walls, requireWalls, logLevel, logFormat } = options;
  const { launcher } = walls;
  return zoneCommand({
    ...zone,
    socket: socketIn(folder, zone.name),
    flags: [
      `--cache=${cache}`,
      ...zone.flags(options),
      `--walls=${JSON.stringify(toWallsReport(walls))}`,
      ...(launcher === undefined ? [] : [`--launcher=${launcher}`]),
      ...(requireWalls ? ["--require-walls"] : []),
      `--log-level=${logLevel}`,
      ...(logFormat === undefined ? [] : [`--log-format=${logFormat}`]),
    ],
    environment: { TZ: "UTC", ...variablesForGit(environment) },
    launcher,
    rules: () => rulesOf(zone, options, environment),
  });
}

/** What the process may do: write to the clones, read its own code and what git reads, connect over TCP, and start git. */
function rulesOf<Options extends GitZoneOptions>(
  zone: GitZone<Options>,
  options: Options,
  environment: Environment,
): LaunchRules {
  const { launcher, inForce, node } = options.walls;
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
  /** Git gets of it where programs are and how the network is reached. */
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
  /** Called each time that the process is started. */
  readonly onStart?: () => void;
}

/** Keeps the process of a zone running. Its log goes where the log of this process goes. */
export function startGitZone<Options extends GitZoneOptions>(
  zone: GitZone<Options>,
  options: Options,
  { environment, clock, random, log, onStart }: StartGitZoneOptions,
): GitZoneProcess & { readonly isConfined: boolean; restart(): void } {
  const { name } = zone;
  const walls = wallsForGit(options, rulesOf(zone, options, environment), environment);
  if (walls.problem !== undefined)
    log.warn("The kernel does not keep a zone apart", { zone: name, reason: walls.problem });
  const onLog = (chunk: Buffer): void => void process.stderr.write(chunk);
  const command = (): ZoneCommand => {
    onStart?.();
    return gitZoneCommand(zone, { ...options, walls }, environment);
  };
  const started = new ZoneProcess({ name, clock, random, log, command, onLog });
  return {
    get pid() {
      return started.pid;
    },
    isConfined: walls.launcher !== undefined,
    restart: () => started.restart(),
    end: () => started.end({ withinMs: END_MS }),
  };
}

/** The operator's side of a zone: its socket and its process. */
export interface GitZonePlace {
  /** Path of the socket. */
  readonly socket: string;
  /** Starts the process, if it is the operator's. */
  start(): void;
  close(): Promise<void>;
}

/**
 * Finds the place of a zone. Nothing is started yet.
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
  // Of mode 0700: no other user can take the place of the zone.
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

/** The walls for a process that starts git. None, with the reason, if git does not start behind them: it may be installed anywhere. */
function wallsForGit(
  { walls, cache }: GitZoneOptions,
  rules: LaunchRules,
  environment: Environment,
): KernelWalls {
  const { launcher } = walls;
  if (launcher === undefined) return walls;
  try {
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    const git = findProgram("git", environment["PATH"]);
    // Without git the process itself says what is missing.
    if (git === undefined) return walls;
    execFileSync(launcher, launchArguments(rules, [git, "--version"]), {
      cwd: "/",
      env: {},
      stdio: ["ignore", "ignore", "pipe"],
      timeout: TRY_MS,
    });
    return walls;
  } catch (error) {
    const { stderr = "" } = error as { readonly stderr?: Buffer | string };
    const [line = ""] = String(stderr).trim().split("\n");
    return { ...noKernelWalls(line === "" ? (error as Error).message : line) };
  }
}
