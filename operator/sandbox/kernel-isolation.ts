import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type LaunchRules, type Layer, layers, reportArguments } from "./launch-arguments.ts";
import { type NodeFiles, readNodeFiles } from "./node-files.ts";

/** Isolation of a program by the kernel. */
export interface KernelIsolation {
  /** Path of the launcher that sets it up; undefined: there is none. */
  readonly launcher: string | undefined;
  /** Version of Landlock; 0: not supported, or disabled. */
  readonly landlockAbi: number;
  readonly inForce: readonly Layer[];
  readonly missing: readonly Layer[];
  /** Whether programs are isolated from the operator, from each other and from the network. See {@link essential}. */
  readonly keptApart: boolean;
  /** Files that Node needs under isolation. */
  readonly node: NodeFiles;
  /** Why the launcher reported nothing. */
  readonly problem?: string;
}

/**
 * The layers that are required: without one of them, a program that escaped from its V8 context could reach other
 * processes. The filter denies sockets and signals, so the other two layers only add a second protection.
 */
const essential: readonly Layer[] = ["no-new-privileges", "files", "seccomp"];

/** Timeout for the launcher's report, on a busy machine. */
const TIMEOUT_MS = 10_000;

/** Starts the launcher, which isolates itself and reports the layers in force. Takes milliseconds. */
export async function probeKernelIsolation(launcher: string | undefined): Promise<KernelIsolation> {
  const isolation = await probeLayers(launcher);
  if (isolation.launcher === undefined) return noKernelIsolation(isolation.problem ?? "");
  try {
    return { ...isolation, node: readNodeFiles() };
  } catch (error) {
    return noKernelIsolation((error as Error).message);
  }
}

/**
 * The same without the files of Node, which an isolated process cannot determine.
 *
 * @param rules.user As in {@link LaunchRules}: an isolated root process cannot become another user.
 */
export async function probeLayers(
  launcher: string | undefined,
  rules: Pick<LaunchRules, "user"> = {},
): Promise<Omit<KernelIsolation, "node">> {
  if (launcher === undefined) return noKernelIsolation("the launcher is not installed");
  try {
    const words = reportArguments({ ...rules, seccomp: "program" });
    const { stdout } = await promisify(execFile)(launcher, words, { env: {}, timeout: TIMEOUT_MS });
    return { launcher, ...readReport(stdout) };
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    const [line = ""] = stderr.trim().split("\n");
    return noKernelIsolation(line === "" ? (error as Error).message : line);
  }
}

/**
 * Reads the launcher's report. Pure.
 *
 * @throws Error if it is not one.
 */
export function readReport(text: string): Omit<KernelIsolation, "launcher" | "node"> {
  const { landlockAbi, layers: found } = JSON.parse(text) as {
    landlockAbi: number;
    layers: readonly string[];
  };
  return { landlockAbi, ...assessLayers(found) };
}

/** Determines which layers are missing beside those in force, and whether processes are still isolated. Pure. */
export function assessLayers(
  found: readonly string[],
): Pick<KernelIsolation, "inForce" | "missing" | "keptApart"> {
  const inForce = layers.filter((layer) => found.includes(layer));
  const missing = layers.filter((layer) => !found.includes(layer));
  return { inForce, missing, keptApart: essential.every((layer) => inForce.includes(layer)) };
}

/** The report without a launcher: programs have only the isolation within their process. Pure. */
export function noKernelIsolation(problem: string): KernelIsolation {
  const node = { read: [], execute: [] };
  return {
    launcher: undefined,
    landlockAbi: 0,
    inForce: [],
    missing: layers,
    keptApart: false,
    node,
    problem,
  };
}

/**
 * One line for users about missing isolation; undefined: nothing essential is missing. Pure.
 *
 * @param whose The isolated processes.
 */
export function describeMissingIsolation(
  { missing, problem, keptApart }: Pick<KernelIsolation, "missing" | "problem" | "keptApart">,
  whose = "programs",
): string | undefined {
  if (keptApart) return undefined;
  if (problem !== undefined) return `the kernel does not isolate ${whose}: ${problem}`;
  return `the kernel does not fully isolate ${whose} (missing: ${missing.join(", ")})`;
}
