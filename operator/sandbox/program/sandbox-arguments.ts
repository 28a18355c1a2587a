import type { KernelIsolation } from "../kernel-isolation.ts";
import { launchArguments } from "../launch-arguments.ts";

export interface SandboxArgumentsInput {
  /** The sandbox's own program. */
  readonly runner: string;
  readonly memoryMiB: number;
  readonly isolation: KernelIsolation;
  /** Path of `prlimit`, which sets limits if there is no launcher; undefined: not installed. */
  readonly prlimit: string | undefined;
}

/** The whole environment of a sandbox. Without the empty variable, OpenSSL requires its configuration file. */
export const sandboxEnvironment = { TZ: "UTC", LC_ALL: "C", OPENSSL_CONF: "" };

/** More file descriptors than Node needs, which opens about 25. */
const OPEN_FILES = 64;

/** Writable mappings of a bare process: 512 MiB are V8's code space, the rest are stacks of threads. */
const BASE_MIB = 768;

/**
 * The command line of a sandbox. Each layer works without the others: Node's permission model grants nothing, flags
 * disable what that model does not cover, and the kernel's limits apply to any code.
 *
 * @returns Program and arguments; without the program: Node itself.
 */
export function sandboxArguments({ runner, memoryMiB, isolation, prlimit }: SandboxArgumentsInput): {
  readonly wrapper: string | undefined;
  readonly arguments: readonly string[];
} {
  const flags = [
    // Files, child processes, workers, native addons, WASI, network, inspector: all are denied.
    "--permission",
    "--no-experimental-sqlite",
    "--no-experimental-webstorage",
    "--no-addons",
    "--disable-sigusr1",
    "--disallow-code-generation-from-strings",
    // V8 has no flag that disables only WebAssembly (`--jitless` does, and makes programs 1.4 to 3 times slower): no
    // module may have a function, a memory or a table.
    "--max-wasm-functions=0",
    "--wasm-max-mem-pages=0",
    "--wasm-max-table-size=0",
    // Nothing in the process can change these flags afterwards: V8 would abort.
    "--freeze-flags-after-init",
    "--no-warnings",
    "--unhandled-rejections=none",
    `--max-old-space-size=${Math.floor(memoryMiB * 0.75)}`,
    "--max-semi-space-size=4",
    "--input-type=commonjs",
    "-e",
    runner,
  ];
  const command = [process.execPath, ...flags];
  // Limit of writable mappings, so that array buffers cannot exhaust the memory of the machine.
  const dataBytes = (memoryMiB + BASE_MIB) * 2 ** 20;
  if (isolation.launcher !== undefined) {
    const rules = {
      ...isolation.node,
      seccomp: "program",
      limits: { core: 0, "file-size": 0, "open-files": OPEN_FILES, "memory-data": dataBytes },
      environment: sandboxEnvironment,
      require: isolation.inForce,
    } as const;
    return { wrapper: isolation.launcher, arguments: launchArguments(rules, command) };
  }
  if (prlimit === undefined) return { wrapper: undefined, arguments: flags };
  return { wrapper: prlimit, arguments: ["--core=0", "--fsize=0", `--data=${dataBytes}`, ...command] };
}
