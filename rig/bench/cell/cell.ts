import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Slice } from "../implementation/slices.ts";
import { type ImplementationName, prepareImplementation } from "../implementations.ts";
import { startControlPlane } from "./control-plane.ts";
import { type ResultLine, runDriver } from "./driver-process.ts";

export interface CellOptions {
  readonly implementation: ImplementationName;
  readonly resources: number;
  readonly scenarios: readonly string[];
  readonly driverPath: string;
  readonly podsetGoPath: string;
  readonly bundlePath: string;
  readonly diagnose: boolean;
  readonly profileDirectory: string | undefined;
  readonly nodeFlags: readonly string[];
  /** Additional arguments for the driver, such as `--edits 100`. */
  readonly driverArguments: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
}

/** Runs one cell: a new control plane, one implementation, all scenarios in order. Removes everything. Returns one line per scenario. */
export async function runCell(options: CellOptions): Promise<ResultLine[]> {
  const { implementation, resources, scenarios, driverPath, driverArguments, env, signal, report } = options;
  const cluster = await startControlPlane({ env, report });
  const lines: ResultLine[] = [];
  try {
    const prepared = await prepareImplementation(implementation, {
      ...options,
      runDirectory: cluster.runDirectory,
    });
    report(`${implementation}, ${resources} resources: ${scenarios[0]}`);
    await runDriver({
      program: driverPath,
      arguments: [
        ...["--run-dir", cluster.runDirectory, "--label", implementation, "--n", String(resources)],
        ...["--scenarios", scenarios.join(",")],
        ...prepared.driverArguments,
        ...driverArguments,
      ],
      signal,
      onResult(line) {
        lines.push(line);
        const next = scenarios[lines.length];
        if (next !== undefined) report(`${implementation}, ${resources} resources: ${next}`);
      },
    });
    return prepared.slicesFile === undefined
      ? lines
      : addSlices(lines, await readSlices(prepared.slicesFile));
  } catch (error) {
    const log = await readFile(join(cluster.runDirectory, "operator-0.log"), "utf8").catch(() => "");
    throw new Error(`Cell failed: ${implementation}, ${resources} resources\n${lastLines(log)}`, {
      cause: error,
    });
  } finally {
    await cluster.stop();
  }
}

async function readSlices(file: string): Promise<Slice[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  const parsed = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Partial<Slice>);
  return parsed.filter((slice): slice is Slice => slice.cpuMs !== undefined);
}

/** Adds to every scenario the slices during it, the longest first, at most five. Pure. */
export function addSlices(lines: readonly ResultLine[], slices: readonly Slice[]): ResultLine[] {
  return lines.map((line) => {
    const endMs = Date.parse(String(line["time"])) + 1_000; // The driver's time is cut to seconds.
    const startMs = endMs - 1_000 - Number(line["wall_s"] ?? 0) * 1_000;
    const inside = slices.filter(({ atMs }) => atMs >= startMs && atMs <= endMs);
    const longest = inside.toSorted((a, b) => b.cpuMs - a.cpuMs).slice(0, 5);
    return { ...line, slices: longest, slice_cpu_ms: longest[0]?.cpuMs ?? 0 };
  });
}

function lastLines(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .slice(-5)
    .map((line) => line.slice(0, 600))
    .join("\n");
}
