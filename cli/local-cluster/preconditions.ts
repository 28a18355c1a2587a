import { access, constants, mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import { isOnPath } from "./search-path.ts";

/** A problem of this machine, reported before anything was started. */
export class MachineNotReadyError extends Error {
  override readonly name = "MachineNotReadyError";
}

/** @throws MachineNotReadyError if there is no git to run. */
export async function requireGit(env: NodeJS.ProcessEnv): Promise<void> {
  if (await isOnPath("git", env)) return;
  throw new MachineNotReadyError(
    "Cannot find git: it is not on the PATH; install it with your system's package manager",
  );
}

/**
 * Creates a folder, if it does not exist, and checks that files can be written to it.
 *
 * @param variable Environment variable that sets another folder.
 * @throws MachineNotReadyError with what to do.
 */
export async function requireWritable(
  folder: string,
  { variable }: { readonly variable: string },
): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (error) {
    const why = reasons[(error as NodeJS.ErrnoException).code ?? ""] ?? (error as Error).message;
    throw new MachineNotReadyError(
      `Cannot write to "${folder}": ${why}; set ${variable} to a folder that can be written to`,
      { cause: error },
    );
  }
}

const reasons: Readonly<Record<string, string>> = {
  EROFS: "the file system is read-only",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ENOENT: "it does not exist and cannot be created",
  ENOTDIR: "a parent of the path is a file",
  EEXIST: "it is a file",
};

/** A loopback port, and the program that needs it. */
export interface NeededPort {
  readonly port: number;
  readonly program: string;
}

/** @throws MachineNotReadyError that names the ports on which other programs listen. */
export async function requireFreePorts(
  needed: readonly NeededPort[],
  { remedy }: { readonly remedy: string },
): Promise<void> {
  const taken: string[] = [];
  for (const { port, program } of needed) {
    if (!(await isFree(port))) taken.push(`127.0.0.1:${port}, which ${program} needs`);
  }
  if (taken.length === 0) return;
  throw new MachineNotReadyError(`Another program listens on ${taken.join(" and ")}. ${remedy}`);
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once("error", () => resolve(false));
  server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  return promise;
}
