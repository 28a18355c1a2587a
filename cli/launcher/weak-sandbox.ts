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

/** Untrusted files are not read if the kernel does not isolate the processes that handle them from the user's files. */
export class WeakSandboxError extends Error {
  override readonly name = "WeakSandboxError";
}

export interface Trust {
  /** The files come from a folder of this machine. */
  readonly isLocal: boolean;
  readonly env: NodeJS.ProcessEnv;
  /** The user has accepted the risk. */
  readonly weakSandbox: boolean;
}

type MissingIsolation = Pick<KernelIsolation, "missing" | "problem" | "keptApart">;

/** Whether the files may be read without isolation. In CI, a local folder often contains an untrusted pull request. */
function isTrusted({ isLocal, env, weakSandbox }: Trust): boolean {
  return weakSandbox || (isLocal && (env["CI"] ?? "") === "");
}

/**
 * Why files are rejected; undefined if they may be read. Pure.
 *
 * @param whose The processes with this isolation.
 */
export function refusalOf(
  isolation: MissingIsolation,
  trust: Trust,
  whose = "processes",
): string | undefined {
  const { missing, problem } = isolation;
  const [line = ""] = (problem ?? "").trim().split("\n");
  const shown = problem === undefined ? isolation : { ...isolation, problem: line };
  const gap = describeMissingIsolation(shown, whose);
  if (gap === undefined || isTrusted(trust)) return undefined;
  const what = trust.isLocal
    ? "files that may be untrusted, because CI is set"
    : "a source that is not a local folder";
  const layers = problem === undefined ? "" : ` (missing: ${missing.join(", ")})`;
  return `Cannot read ${what}: ${gap}${layers}; use a kernel with these layers (docs/sandbox.md), or accept the risk with --weak-sandbox`;
}

/** @throws WeakSandboxError if the files are not trusted enough for this isolation. See {@link refusalOf}. */
export function requireIsolation(isolation: MissingIsolation, trust: Trust, whose?: string): void {
  const refusal = refusalOf(isolation, trust, whose);
  if (refusal !== undefined) throw new WeakSandboxError(refusal);
}

/**
 * Checks the kernel before untrusted files are fetched or read. For trusted files, it does not find or build the launcher.
 *
 * @throws WeakSandboxError if the files are not trusted enough for this kernel.
 */
export async function checkTrust(trust: Trust): Promise<void> {
  if (isTrusted(trust)) return;
  requireIsolation(await probeKernelIsolation(await provideLauncher(trust.env)), trust);
}

/**
 * Runs programs for the command line. For trusted files, the launcher is found or built when the first one is run.
 *
 * @throws WeakSandboxError if the files are not trusted enough for this kernel, even if they contain no program.
 */
export async function createTrustedPrograms(
  trust: Trust,
  options: Pick<ProgramsOptions, "clock" | "log">,
): Promise<Pick<Programs, "run" | "close">> {
  await checkTrust(trust);
  let programs: Promise<Programs> | undefined;
  const create = async (): Promise<Programs> => {
    const isolation = await probeKernelIsolation(await provideLauncher(trust.env));
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
