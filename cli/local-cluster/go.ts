import { execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const MINIMUM_MINOR = 26;

/** Progress of a build. Packages in Go's own cache are not counted. */
export interface BuildProgress {
  readonly packages: number;
  readonly current: string;
  readonly elapsedMs: number;
}

/** Parses the output of `go env GOVERSION`: whether this Go can build the modules. Pure. */
export function isUsableGo(version: string): boolean {
  const match = /^go1\.(\d+)/.exec(version.trim());
  return match?.[1] !== undefined && Number(match[1]) >= MINIMUM_MINOR;
}

/** Reads the version of the Go on the PATH, such as `go1.26.8`; undefined if there is none. */
export async function readGoVersion(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)("go", ["env", "GOVERSION"], { env: goEnvironment(env) });
    return stdout.trim();
  } catch {
    return undefined;
  }
}

export interface RunGoOptions {
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: (progress: BuildProgress) => void;
  /** Kills `go`. */
  readonly signal?: AbortSignal;
}

/**
 * Runs `go` with `-v` in its arguments until it ends.
 *
 * @throws Error with the last lines of Go's output.
 */
export async function runGo(
  args: readonly string[],
  { directory, env, onProgress, signal }: RunGoOptions,
): Promise<void> {
  const started = performance.now();
  const child = spawn("go", args, {
    cwd: directory,
    env: goEnvironment(env),
    stdio: ["ignore", "ignore", "pipe"],
    ...(signal && { signal }),
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  let packages = 0;
  let current = "";
  const tail: string[] = [];
  const tick = () => onProgress({ packages, current, elapsedMs: performance.now() - started });
  const timer = setInterval(tick, 500);
  createInterface({ input: child.stderr }).on("line", (line) => {
    tail.push(line);
    if (tail.length > 15) tail.shift();
    if (/^[\w.\-/~]+$/.test(line)) packages += 1;
    current = line;
  });
  try {
    tick();
    const exitCode = await ended;
    if (exitCode !== 0)
      throw new Error(`Cannot build in "${directory}": go ended with ${exitCode}\n${tail.join("\n")}`);
  } finally {
    clearInterval(timer);
  }
}

/** No download of another Go, no C compiler, and none of the user's flags, which could change the binary. */
function goEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, GOTOOLCHAIN: "local", CGO_ENABLED: "0", GOFLAGS: "", GOWORK: "off" };
}
