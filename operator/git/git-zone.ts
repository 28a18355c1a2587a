import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock, Logger, Random } from "../ports.ts";
import { codeFilesOf } from "../sandbox/code-files.ts";
import { type KernelWalls, noKernelWalls } from "../sandbox/kernel-walls.ts";
import { type LaunchRules, launchArguments } from "../sandbox/launch-arguments.ts";
import { toWallsReport } from "../sandbox/walls-report.ts";
import { type ZoneCommandInput, zoneCommand } from "../sandbox/zone-command.ts";
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

export interface GitZoneCommandInput
  extends Pick<ZoneCommandInput, "worker" | "heapMiB" | "semiSpaceMiB" | "socket" | "flags" | "rules"> {
  readonly options: GitZoneOptions;
  /** Git gets of it where programs are and how the network is reached. */
  readonly environment: Environment;
}

/** The command line of the process. The kernel's walls are around it, as far as there are any. */
export function gitZoneCommand({ options, environment, flags, ...input }: GitZoneCommandInput): ZoneCommand {
  const { cache, walls, requireWalls, logLevel, logFormat } = options;
  const { launcher } = walls;
  return zoneCommand({
    ...input,
    flags: [
      `--cache=${cache}`,
      ...flags,
      `--walls=${JSON.stringify(toWallsReport(walls))}`,
      ...(launcher === undefined ? [] : [`--launcher=${launcher}`]),
      ...(requireWalls ? ["--require-walls"] : []),
      `--log-level=${logLevel}`,
      ...(logFormat === undefined ? [] : [`--log-format=${logFormat}`]),
    ],
    environment: { TZ: "UTC", ...variablesForGit(environment) },
    launcher,
  });
}

export interface GitZoneRulesInput extends Pick<LaunchRules, "tcpConnect" | "tcpListen"> {
  readonly options: Pick<GitZoneOptions, "cache" | "walls">;
  readonly environment: Environment;
  /** Path of the process's own code. */
  readonly worker: string;
  /** Places to read beside those that git needs. */
  readonly read: readonly string[];
  /** Repositories to write to, and to run programs of. */
  readonly local?: readonly string[];
}

/** What the process may do: write to the clones, read its own code and what git reads, connect over TCP, and start git. */
export function gitZoneRules({
  options: { cache, walls },
  environment,
  worker,
  read,
  local = [],
  ...network
}: GitZoneRulesInput): LaunchRules {
  const { launcher, inForce, node } = walls;
  const settings = [...settingFiles, ...deviceFiles, ...certificateFiles(environment)];
  const own = [...node.read, ...codeFilesOf(worker)];
  const programs = [...programFolders, ...node.execute, launcher ?? ""];
  return {
    read: [...own, ...settings, ...read].filter((path) => existsSync(path)),
    write: [cache, "/dev/null", ...local],
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

export interface StartGitZoneInput extends GitZoneProcessOptions {
  /** Name of the zone. */
  readonly name: string;
  readonly options: GitZoneOptions;
  /** What the process may do. */
  readonly rules: LaunchRules;
  /** Called when the process cannot have the kernel's walls. */
  readonly onNoWalls: (reason: string) => void;
  /** How it is started behind these walls. */
  readonly command: (walls: KernelWalls) => ZoneCommand | (() => ZoneCommand);
}

/** Keeps the process of a zone running. Its log goes where the log of this process goes. */
export function startGitZone(
  input: StartGitZoneInput,
): GitZoneProcess & { readonly isConfined: boolean; restart(): void } {
  const { name, command, onNoWalls, clock, random, log } = input;
  const walls = wallsForGit(input);
  if (walls.problem !== undefined) onNoWalls(walls.problem);
  const onLog = (chunk: Buffer): void => void process.stderr.write(chunk);
  const zone = new ZoneProcess({ name, clock, random, log, command: command(walls), onLog });
  return {
    get pid() {
      return zone.pid;
    },
    isConfined: walls.launcher !== undefined,
    restart: () => zone.restart(),
    end: () => zone.end({ withinMs: END_MS }),
  };
}

/** The operator's side of a zone: where its socket is, and its process. */
export interface GitZonePlace {
  /** Folder of the socket. */
  readonly folder: string;
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
  if (zoneSockets !== undefined)
    return { folder: join(zoneSockets, name), start: () => undefined, close: async () => undefined };
  // Of mode 0700: no other user can take the place of the zone.
  const folder = mkdtempSync(join(tmpdir(), `fairlead-${name}-`));
  let started: GitZoneProcess | undefined;
  return {
    folder,
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
function wallsForGit({
  options: { walls, cache },
  rules,
  environment,
}: Pick<StartGitZoneInput, "options" | "rules" | "environment">): KernelWalls {
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
