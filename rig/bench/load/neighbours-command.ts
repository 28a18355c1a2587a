import { setTimeout as sleep } from "node:timers/promises";
import { Command } from "commander";
import { untilQuiet } from "../cell/quiet-machine.ts";
import { medianOf, ratioOfMedians, seededRandom } from "../report/bootstrap.ts";
import type { BenchApi } from "./bench-api.ts";
import { startLoadRig } from "./load-rig.ts";
import { type Neighbour, neighbours } from "./noise.ts";
import { type EditLatencies, QuietResources } from "./quiet-edits.ts";

type Phase = "without" | "control" | "with";
type Phases = Record<Phase, EditLatencies[]>;

/** Forward and backward, so that slow changes of the machine affect all phases equally. */
const order: readonly Phase[] = ["without", "control", "with", "with", "control", "without"];
const settleMs = 5_000;

interface NeighboursOptions {
  readonly edits: string;
  readonly rounds: string;
  readonly only: string | undefined;
  readonly quietWait: string;
}

/** `npm run bench -- neighbours`: measures the effect of noisy neighbours on the edits of others. */
export function neighboursCommand(report: (line: string) => void): Command {
  return new Command("neighbours")
    .description("Measure edits of quiet resources, alternately without and with each noisy neighbour")
    .option("--edits <n>", "edits in each phase", "60")
    .option("--rounds <n>", "repetitions of all phases for each neighbour", "1")
    .option("--only <names>", `of ${neighbours.map(({ name }) => name)}`)
    .option("--quiet-wait <seconds>", "maximum wait for a quiet machine", "120")
    .action(async (options: NeighboursOptions) => {
      await untilQuiet({ waitSeconds: Number(options.quietWait), report });
      const rig = await startLoadRig(report);
      const stop = new AbortController();
      try {
        const quiet = new QuietResources(rig.api, 50);
        await quiet.fill(stop.signal);
        await quiet.edit(20);
        const chosen = neighbours.filter(({ name }) => options.only?.split(",").includes(name) ?? true);
        for (const neighbour of chosen) {
          const phases: Phases = { without: [], control: [], with: [] };
          for (let round = 0; round < Number(options.rounds); round++) {
            for (const which of order) {
              report(`${neighbour.title}: ${which}`);
              const run = () => quiet.edit(Number(options.edits));
              phases[which].push(await measure(which, { neighbour, api: rig.api, run }));
            }
          }
          process.stdout.write(linesOf(neighbour, phases));
        }
      } finally {
        stop.abort();
        await rig.stop();
      }
    });
}

async function measure(
  which: Phase,
  { neighbour, api, run }: { neighbour: Neighbour; api: BenchApi; run: () => Promise<EditLatencies> },
): Promise<EditLatencies> {
  if (which === "without") return await run();
  const noise = new AbortController();
  await neighbour[which === "with" ? "begin" : "beginControl"](api, noise.signal);
  try {
    // The neighbour has used its initial burst by then.
    await sleep(settleMs);
    return await run();
  } finally {
    noise.abort();
    await neighbour.end(api);
    await sleep(settleMs);
  }
}

function linesOf({ title }: Neighbour, phases: Phases): string {
  const lines = (["children", "published"] as const).flatMap((what) => {
    const of = (which: Phase) => phases[which].flatMap((one) => one[what]);
    const times = (Object.keys(phases) as Phase[]).map(
      (which) => `${which} ${ms(medianOf(of(which)))} / ${ms(percentile(of(which), 0.99))}`,
    );
    const ratios = (["without", "control"] as const).map((than) => {
      const ratio = ratioOfMedians(of("with"), of(than), { random: seededRandom(1) });
      const p99 = percentile(of("with"), 0.99) / percentile(of(than), 0.99);
      const interval = `[${ratio?.low.toFixed(2)}, ${ratio?.high.toFixed(2)}]`;
      return `with : ${than} = p50 ${ratio?.value.toFixed(2)} ${interval}, p99 ${p99.toFixed(2)}`;
    });
    return [`  ${what}, p50 / p99 in ms: ${times.join(", ")}`, ...ratios.map((line) => `    ${line}`)];
  });
  return `${title}\n${lines.join("\n")}\n`;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

function ms(value: number): string {
  return value.toFixed(1);
}
