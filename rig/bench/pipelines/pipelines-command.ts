import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Command } from "commander";
import { withLock } from "../../../cli/local-cluster/lock.ts";
import { untilQuiet } from "../cell/quiet-machine.ts";
import { startReleaseRig } from "../releases/release-rig.ts";
import { GitFolder } from "../tenants/git-folder.ts";
import { fill } from "./fill.ts";
import { holdAll, type PipelineResults, pipelineReport } from "./report.ts";
import { idle, openGates, push } from "./scenarios.ts";
import { openScene } from "./scene.ts";

interface PipelinesOptions {
  readonly pipelines: string;
  readonly pushes: string;
  readonly gates: string;
  readonly idleSeconds: string;
  readonly quietWait: string;
  readonly out: string | undefined;
  readonly operatorArgs: string;
  readonly heap: string;
}

/** V8's heap with the chart's default values: 35 % of 512 MiB (constructs/operator-pod.ts). */
const DEFAULT_HEAP_MIB = 179;

/** `npm run bench -- pipelines`: measures a thousand Pipelines of three stages with one repository. */
export function pipelinesCommand(report: (line: string) => void): Command {
  return new Command("pipelines")
    .description("Measure Pipelines of three stages with one repository")
    .option("--pipelines <n>", "Pipelines, each with three Releases of two objects", "1000")
    .option("--pushes <n>", "pushes to one Pipeline each", "20")
    .option("--gates <n>", "approvals of a promotion to prod", "20")
    .option("--idle-seconds <n>", "duration of the measurement without changes", "60")
    .option("--quiet-wait <seconds>", "longest wait for a quiet machine", "120")
    .option("--out <file>", "file that the raw results are appended to, as JSON")
    .option("--operator-args <words>", "more flags for the operator, such as --log-level=debug", "")
    .option("--heap <MiB>", "maximum size of the operator's heap; default as deployed", `${DEFAULT_HEAP_MIB}`)
    .action(async (options: PipelinesOptions) => {
      // Run one measurement at a time on this machine, for all users.
      const onWait = ({ pid }: { pid: number }): void => report(`Waiting for process ${pid}, which measures`);
      const lock = join(tmpdir(), "fairlead-bench.lock");
      const results = await withLock(lock, () => measure(options, report), { onWait });
      process.stdout.write(pipelineReport(results));
      if (options.out !== undefined) await appendFile(options.out, `${toJson(results)}\n`);
      if (!holdAll(results)) process.exitCode = 1;
    });
}

async function measure(options: PipelinesOptions, report: (line: string) => void): Promise<PipelineResults> {
  const [count, pushes, gates, seconds] = [
    options.pipelines,
    options.pushes,
    options.gates,
    options.idleSeconds,
  ].map(Number) as [number, number, number, number];
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.once(name, () => stop.abort(new Error(`Ended by ${name}`)));
  const folder = await mkdtemp(join(tmpdir(), "fairlead-bench-pipelines-"));
  const repository = await GitFolder.create(folder, "pipelines");
  const operatorArguments = options.operatorArgs.split(" ").filter((word) => word !== "");
  const rig = await startReleaseRig({ sets: 1, operatorArguments, heapMiB: Number(options.heap), report });
  try {
    const load1 = await untilQuiet({ waitSeconds: Number(options.quietWait), report });
    const scene = await openScene(rig, { repository, count, signal: stop.signal });
    const step = async <T>(title: string, run: () => Promise<T>): Promise<T> => {
      stop.signal.throwIfAborted();
      report(title);
      return await Promise.race([run(), untilEnded(rig.operatorPid, stop.signal)]);
    };
    return {
      ...{ pipelines: count, load1 },
      fill: await step(`Filling with ${count} Pipelines`, () => fill(scene)),
      idle: await step(`${seconds} s of idling`, () => idle(scene, seconds)),
      push: await step(`${pushes} pushes`, () => push(scene, pushes)),
      gate: await step(`${gates} approvals`, () => openGates(scene, gates)),
    };
  } finally {
    stop.abort();
    await rig.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Rejects when the operator has ended, for example because it lost its Lease on an overloaded machine. */
async function untilEnded(pid: number, signal: AbortSignal): Promise<never> {
  for (;;) {
    await sleep(1_000, undefined, { signal });
    try {
      process.kill(pid, 0);
    } catch (error) {
      throw new Error("The operator has ended", { cause: error });
    }
  }
}

function toJson(results: PipelineResults): string {
  return JSON.stringify(results, (_, value: unknown) =>
    value instanceof Map ? Object.fromEntries(value) : value,
  );
}
