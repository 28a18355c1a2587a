import {
  describeMissingIsolation,
  type KernelIsolation,
  probeKernelIsolation,
} from "../../operator/sandbox/kernel-isolation.ts";
import {
  createPrograms,
  type Programs,
  type ProgramsOptions,
} from "../../operator/sandbox/program/programs.ts";
import { provideLauncher } from "./build-launcher.ts";

/** An untrusted program is not run if the kernel does not isolate it from the user's files. */
export class WeakSandboxError extends Error {
  override readonly name = "WeakSandboxError";
}

export interface Trust {
  /** The program comes from a folder of this machine. */
  readonly isLocal: boolean;
  readonly env: NodeJS.ProcessEnv;
  /** The user has accepted the risk. */
  readonly weakSandbox: boolean;
}

/**
 * Why a program is rejected; undefined if it may run. In CI, a local folder often contains an untrusted pull request.
 * Pure.
 */
export function refusalOf(
  isolation: KernelIsolation,
  { isLocal, env, weakSandbox }: Trust,
): string | undefined {
  const gap = describeMissingIsolation(isolation);
  const isTrusted = isLocal && (env["CI"] ?? "") === "";
  if (gap === undefined || isTrusted || weakSandbox) return undefined;
  const whose = isLocal
    ? "CI is set, so the folder may contain an untrusted program"
    : "its program comes from git";
  return `Cannot run the program: ${gap}, and ${whose}; run it on a kernel that isolates it (docs/sandbox.md), or accept the risk with --weak-sandbox`;
}

/**
 * Runs programs for the command line. The launcher is found or built when the first one is run.
 *
 * @returns `run()` throws WeakSandboxError for a program that is not trusted enough for this kernel.
 */
export function createTrustedPrograms(
  trust: Trust,
  options: Pick<ProgramsOptions, "clock" | "log">,
): Pick<Programs, "run" | "close"> {
  let programs: Promise<Programs> | undefined;
  const create = async (): Promise<Programs> => {
    const isolation = await probeKernelIsolation(await provideLauncher(trust.env));
    const refusal = refusalOf(isolation, trust);
    if (refusal !== undefined) throw new WeakSandboxError(refusal);
    return createPrograms({ ...options, isolation });
  };
  return {
    run: async (request) => {
      programs ??= create();
      return (await programs).run(request);
    },
    close: async () => (await programs?.catch(() => undefined))?.close(),
  };
}
