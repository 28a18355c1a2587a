import { createRequire } from "node:module";
import { env } from "node:process";
import type { KernelIsolation } from "./kernel-isolation.ts";
import { launchArguments } from "./launch-arguments.ts";

/** Path of esbuild's executable; undefined: it is not installed. */
export function findEsbuild(): string | undefined {
  try {
    const library = createRequire(import.meta.url).resolve("esbuild");
    return createRequire(library).resolve(`@esbuild/${process.platform}-${process.arch}/bin/esbuild`);
  } catch {
    return undefined;
  }
}

/** Limit of file descriptors: esbuild receives the contents of files, and opens few itself. */
const OPEN_FILES = 128;

/**
 * Variables with which esbuild's library starts the launcher instead of its executable: the path of the program can be
 * configured, and its first arguments cannot. Pure.
 *
 * @param input.read Paths that esbuild may read: packages of libraries, if they are not bundled yet.
 */
export function esbuildVariables({
  isolation: { launcher, inForce },
  program,
  read,
}: {
  readonly isolation: Pick<KernelIsolation, "launcher" | "inForce">;
  readonly program: string;
  readonly read: readonly string[];
}): Readonly<Record<string, string>> {
  if (launcher === undefined) return {};
  const rules = {
    read,
    execute: [program],
    seccomp: "program",
    limits: { core: 0, "file-size": 0, "open-files": OPEN_FILES },
    require: inForce,
    ...(read.length > 0 && { user: 0 }),
  } as const;
  return {
    ESBUILD_BINARY_PATH: launcher,
    FAIRLEAD_LAUNCH: launchArguments(rules, [program]).join("\n"),
  };
}

/** Sets the environment variables for esbuild's library, which reads them when it is loaded and has no other option. */
export function setEsbuildVariables(variables: Readonly<Record<string, string>>): void {
  Object.assign(env, variables);
}
