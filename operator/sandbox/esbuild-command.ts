import { createRequire } from "node:module";
import { env } from "node:process";
import type { KernelWalls } from "./kernel-walls.ts";
import { launchArguments } from "./launch-arguments.ts";

/** Path of esbuild's own program; undefined: it is not installed. */
export function findEsbuild(): string | undefined {
  try {
    const library = createRequire(import.meta.url).resolve("esbuild");
    return createRequire(library).resolve(`@esbuild/${process.platform}-${process.arch}/bin/esbuild`);
  } catch {
    return undefined;
  }
}

/** Descriptors that it may have: it is given the contents of files, and reads few by itself. */
const OPEN_FILES = 128;

/**
 * Variables with which esbuild's library starts the launcher in place of its program: it can be told which program to
 * start, and not with which first arguments. Pure.
 *
 * @param input.read What esbuild may read: packages of libraries, where they are not bundled yet.
 */
export function esbuildVariables({
  walls: { launcher, inForce },
  program,
  read,
}: {
  readonly walls: Pick<KernelWalls, "launcher" | "inForce">;
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

/** Sets the variables for esbuild's library, which reads them when it is loaded: it has no other way to be told. */
export function setEsbuildVariables(variables: Readonly<Record<string, string>>): void {
  Object.assign(env, variables);
}
