import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type LaunchRules, type Layer, layers, reportArguments } from "./launch-arguments.ts";
import { type NodeFiles, readNodeFiles } from "./node-files.ts";

/** Walls that the kernel can put around a program. */
export interface KernelWalls {
  /** Path of the launcher that builds them; undefined: none is built. */
  readonly launcher: string | undefined;
  /** Version of Landlock; 0: the kernel has none, or it is turned off. */
  readonly landlockAbi: number;
  readonly inForce: readonly Layer[];
  readonly missing: readonly Layer[];
  /** Whether programs are kept from the operator, from each other and from the network. See {@link essential}. */
  readonly keptApart: boolean;
  /** Files that Node needs behind the walls. */
  readonly node: NodeFiles;
  /** Why the launcher reported nothing. */
  readonly problem?: string;
}

/**
 * The layers without which a program that left its inner walls would reach others. The filter refuses sockets and
 * signals, so what the other two layers add is a second wall where the first one holds.
 */
const essential: readonly Layer[] = ["no-new-privileges", "files", "seccomp"];

/** Longest time that the launcher may take to report, on a busy machine. */
const TIMEOUT_MS = 10_000;

/** Has the launcher build its walls around itself and report which hold. Takes milliseconds. */
export async function probeKernelWalls(launcher: string | undefined): Promise<KernelWalls> {
  const walls = await probeLayers(launcher);
  if (walls.launcher === undefined) return noKernelWalls(walls.problem ?? "");
  try {
    return { ...walls, node: readNodeFiles() };
  } catch (error) {
    return noKernelWalls((error as Error).message);
  }
}

/**
 * The same without the files of Node, which a process behind walls cannot find out.
 *
 * @param rules.user As in {@link LaunchRules}: behind walls root cannot become another user.
 */
export async function probeLayers(
  launcher: string | undefined,
  rules: Pick<LaunchRules, "user"> = {},
): Promise<Omit<KernelWalls, "node">> {
  if (launcher === undefined) return noKernelWalls("the launcher is not installed");
  try {
    const words = reportArguments({ ...rules, seccomp: "program" });
    const { stdout } = await promisify(execFile)(launcher, words, { env: {}, timeout: TIMEOUT_MS });
    return { launcher, ...readReport(stdout) };
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    const [line = ""] = stderr.trim().split("\n");
    return noKernelWalls(line === "" ? (error as Error).message : line);
  }
}

/**
 * Reads the launcher's report. Pure.
 *
 * @throws Error if it is not one.
 */
export function readReport(text: string): Omit<KernelWalls, "launcher" | "node"> {
  const { landlockAbi, layers: found } = JSON.parse(text) as {
    landlockAbi: number;
    layers: readonly string[];
  };
  return { landlockAbi, ...assessLayers(found) };
}

/** Says which layers are missing beside those in force, and whether it matters. Pure. */
export function assessLayers(
  found: readonly string[],
): Pick<KernelWalls, "inForce" | "missing" | "keptApart"> {
  const inForce = layers.filter((layer) => found.includes(layer));
  const missing = layers.filter((layer) => !found.includes(layer));
  return { inForce, missing, keptApart: essential.every((layer) => inForce.includes(layer)) };
}

/** The report where the launcher builds nothing: programs have only the walls inside their process. Pure. */
export function noKernelWalls(problem: string): KernelWalls {
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
 * One line about a missing wall, for people; undefined: they are kept apart. Pure.
 *
 * @param whose Processes that the walls are around.
 */
export function describeMissingWalls(
  { missing, problem, keptApart }: Pick<KernelWalls, "missing" | "problem" | "keptApart">,
  whose = "programs",
): string | undefined {
  if (keptApart) return undefined;
  if (problem !== undefined) return `the kernel does not isolate ${whose}: ${problem}`;
  return `the kernel lacks walls around ${whose}: ${missing.join(", ")}`;
}
