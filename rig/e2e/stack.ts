import { execFile, spawn } from "node:child_process";
import { existsSync, openSync, readFileSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { writeImageFiles } from "../../cli/image/write-image-files.ts";
import { removeInnerIsolation } from "../../test/fakes/plain-node.ts";
import { readContainerfile } from "./bundle.ts";
import { writeImage } from "./image.ts";
import { imagesOf } from "./images.ts";
import { makeCgroups, readHierarchies } from "./node/cgroups.ts";
import { libraryPath, type Plan, pathOf, readPlan, searchPath } from "./node/layout.ts";
import type { Prepared } from "./prepare.ts";
import { RUN_PREFIX, removeStaleRuns, writeOwners } from "./stale-runs.ts";

/** A control plane, a node and a git host in separate namespaces. */
export interface Stack {
  readonly runDirectory: string;
  /** Runs a program inside the namespaces, and returns its output. */
  run(command: readonly string[], options?: RunOptions): Promise<string>;
  /** Runs kubectl inside, as `admin`. */
  kubectl(args: string | readonly string[], options?: RunOptions): Promise<string>;
  /** The command that {@link kubectl} runs, for users. */
  readonly kubectlCommand: readonly string[];
  /** Ends all programs and removes all files. */
  stop(): Promise<void>;
}

export interface RunOptions {
  readonly input?: string;
  readonly timeoutMs?: number;
}

export interface StartStackOptions {
  /** False: without images, so that no pod can run. */
  readonly images?: boolean;
  /** Whether to add the image in which programs of Releases run in a plain Node. */
  readonly plain?: boolean;
}

/** Starts a stack and waits until the node is Ready. The stack ends with this process, even if the process is killed. */
export async function startStack(
  { debianRoot, binaries }: Prepared,
  { images = true, plain = false }: StartStackOptions = {},
): Promise<Stack> {
  await removeStaleRuns();
  const runDirectory = await mkdtemp(join(tmpdir(), RUN_PREFIX));
  writeOwners(runDirectory, [process.pid]);
  try {
    const folders = images ? await writeImages(runDirectory, debianRoot, plain) : [];
    return await startKept(runDirectory, { binaries, debianRoot, images: folders });
  } catch (error) {
    await rm(runDirectory, { recursive: true, force: true });
    throw error;
  }
}

/** Creates the images, including the operator's from the current sources, and returns their folders. */
async function writeImages(runDirectory: string, debianRoot: string, plain: boolean): Promise<string[]> {
  const program = join(runDirectory, "operator");
  await writeImageFiles(program, process.env);
  const plainProgram = plain ? join(runDirectory, "operator-plain") : undefined;
  if (plainProgram !== undefined) {
    await cp(program, plainProgram, { recursive: true });
    await removeInnerIsolation(plainProgram);
  }
  const operator = { program, plainProgram, config: await readContainerfile() };
  const images = imagesOf({ debianRoot, libraryPath: libraryPath({ debianRoot }), operator });
  const folderOf = (name: string) => join(runDirectory, "images", name);
  await Promise.all(Object.entries(images).map(([name, image]) => writeImage(folderOf(name), image)));
  return Object.keys(images).map(folderOf);
}

async function startKept(
  runDirectory: string,
  rest: Pick<Plan, "binaries" | "debianRoot" | "images">,
): Promise<Stack> {
  const cgroups = makeCgroups(readHierarchies(), basename(runDirectory));
  await writeFile(pathOf(runDirectory, "plan"), JSON.stringify({ ...rest, runDirectory, cgroups }));
  const log = openSync(pathOf(runDirectory, "supervisorLog"), "a");
  const script = fileURLToPath(new URL("./node/supervisor.ts", import.meta.url));
  const supervisor = spawn(process.execPath, [script, runDirectory], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", log, log],
  });
  writeOwners(runDirectory, [process.pid, supervisor.pid]);
  const ended = new Promise<void>((resolve) => supervisor.once("exit", () => resolve()));
  const stop = async () => {
    supervisor.stdin?.end();
    await ended;
    await rm(runDirectory, { recursive: true, force: true });
  };
  const deadline = performance.now() + 480_000;
  while (!existsSync(pathOf(runDirectory, "ready"))) {
    const late = performance.now() > deadline;
    if (existsSync(pathOf(runDirectory, "failed")) || supervisor.exitCode !== null || late) {
      const reason = await readFile(pathOf(runDirectory, "failed"), "utf8").catch(() => "");
      const words = await readFile(pathOf(runDirectory, "supervisorLog"), "utf8").catch(() => "");
      await stop();
      throw new Error(
        `Cannot start the node: ${reason || (late ? "it takes too long" : "it ended")}\n${words}`,
      );
    }
    await sleep(50);
  }
  return { ...openStack(runDirectory), stop };
}

/** Gives access to a run by its folder. */
export function openStack(runDirectory: string): Omit<Stack, "stop"> {
  const { binaries, debianRoot } = readPlan(runDirectory);
  const pid = readFileSync(pathOf(runDirectory, "pid"), "utf8");
  const env = { PATH: `${searchPath({ debianRoot })}:${process.env["PATH"]}`, HOME: runDirectory };
  const enter = ["nsenter", "--target", pid, "--mount", "--net", "--pid", "--"] as const;
  const [program, ...namespaces] = enter;
  const run: Stack["run"] = async (command, { input, timeoutMs = 240_000 } = {}) => {
    const options = { cwd: "/", env, timeout: timeoutMs, maxBuffer: 64 * 1024 ** 2 };
    const running = promisify(execFile)(program, [...namespaces, ...command], {
      ...options,
      killSignal: "SIGKILL",
    });
    running.child.stdin?.end(input);
    return (await running).stdout;
  };
  const kubectlCommand = [
    binaries["kubectl"] ?? "",
    `--kubeconfig=${pathOf(runDirectory, "kubeconfig")}`,
    `--cache-dir=${runDirectory}/cache`,
  ];
  const kubectl: Stack["kubectl"] = (args, options) => {
    const words = typeof args === "string" ? args.split(/\s+/).filter((word) => word !== "") : args;
    return run([...kubectlCommand, ...words], options);
  };
  return { runDirectory, run, kubectl, kubectlCommand: [...enter, ...kubectlCommand] };
}
