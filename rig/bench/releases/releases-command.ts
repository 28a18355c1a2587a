import { appendFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { withLock } from "../../../cli/local-cluster/lock.ts";
import { untilQuiet } from "../cell/quiet-machine.ts";
import { pushBeside } from "./bad-neighbours.ts";
import { runPrograms } from "./program-scenario.ts";
import { startReleaseRig } from "./release-rig.ts";
import { type ReleaseResults, releaseReport } from "./report.ts";
import { editLive, fill, openWatches, pollAll, push } from "./scenarios.ts";

interface ReleasesOptions {
  readonly releases: string;
  readonly programs: string;
  readonly pushes: string;
  readonly edits: string;
  readonly badPushes: string;
  readonly quietWait: string;
  readonly out: string | undefined;
  readonly operatorArgs: string;
  readonly heap: string | undefined;
}

/** `npm run bench -- releases`: measures a thousand Releases of one repository, and compares them with the numbers of Flux. */
export function releasesCommand(report: (line: string) => void): Command {
  return new Command("releases")
    .description("Measure Releases of one repository, and compare them with the numbers of Flux 2.9")
    .option("--releases <n>", "Releases, each a folder with four objects", "1000")
    .option("--programs <n>", "Releases of one program, measured afterwards; 0 omits them", "100")
    .option("--pushes <n>", "pushes to one folder each", "60")
    .option("--edits <n>", "edits of an applied object", "20")
    .option("--bad-pushes <n>", "pushes while each bad Release exists; 0 omits them", "20")
    .option("--quiet-wait <seconds>", "longest wait for a quiet machine", "120")
    .option("--out <file>", "file that the raw results are appended to, as JSON")
    .option("--operator-args <words>", "more flags for the operator, such as --log-level=debug", "")
    .option("--heap <MiB>", "maximum size of the operator's heap; default: that of the image's flags")
    .action(async (options: ReleasesOptions) => {
      // Run one measurement at a time on this machine, for all users.
      const onWait = ({ pid }: { pid: number }): void => report(`Waiting for process ${pid}, which measures`);
      const lock = join(tmpdir(), "fairlead-bench.lock");
      const results = await withLock(lock, () => measure(options, report), { onWait });
      process.stdout.write(releaseReport(results));
      if (options.out !== undefined) await appendFile(options.out, `${toJson(results)}\n`);
    });
}

async function measure(options: ReleasesOptions, report: (line: string) => void): Promise<ReleaseResults> {
  const [sets, programs, pushes, edits, badPushes] = [
    options.releases,
    options.programs,
    options.pushes,
    options.edits,
    options.badPushes,
  ].map(Number) as [number, number, number, number, number];
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.once(name, () => stop.abort(new Error(`Ended by ${name}`)));
  const operatorArguments = options.operatorArgs.split(" ").filter((word) => word !== "");
  const heap = options.heap === undefined ? {} : { heapMiB: Number(options.heap) };
  const rig = await startReleaseRig({ sets, operatorArguments, ...heap, report });
  try {
    const load1 = await untilQuiet({ waitSeconds: Number(options.quietWait), report });
    const watches = await openWatches(rig, stop.signal);
    const step = async <T>(title: string, run: () => Promise<T>): Promise<T> => {
      stop.signal.throwIfAborted();
      report(title);
      return await run();
    };
    return {
      ...{ sets, programs, load1 },
      fill: await step(`Filling with ${sets} Releases`, () => fill(rig, watches, sets)),
      push: await step(`${pushes} pushes`, () => push(rig, watches, { sets, pushes })),
      poll: await step("A poll of the remote without changes", () => pollAll(rig)),
      edit: await step(`${edits} edits of applied objects`, () => editLive(rig, watches, { sets, edits })),
      ...(badPushes > 0 && {
        bad: await step("Pushes with bad Releases", () =>
          pushBeside(rig, watches, { sets, pushes: badPushes }),
        ),
      }),
      ...(programs > 0 && {
        program: await step(`${programs} programs`, () =>
          runPrograms(rig, watches.releases, { programs, signal: stop.signal }),
        ),
      }),
    };
  } finally {
    stop.abort();
    await rig.stop();
  }
}

function toJson(results: ReleaseResults): string {
  return JSON.stringify(results, (_, value: unknown) =>
    value instanceof Map ? Object.fromEntries(value) : value,
  );
}
