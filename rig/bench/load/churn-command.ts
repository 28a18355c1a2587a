import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Command } from "commander";
import { aBenchSet, benchSetsPath, isPublished } from "./bench-api.ts";
import { type LoadRig, startLoadRig } from "./load-rig.ts";

interface ChurnOptions {
  readonly edits: string;
  readonly resources: string;
  readonly samples: string;
}

/** Sums over all labels that must not grow from the second to the last quarter. */
const watched = [
  "fairlead_store_objects",
  "workqueue_depth",
  "workqueue_unfinished_work_seconds",
  "nodejs_heap_size_used_bytes",
  "nodejs_external_memory_bytes",
  "nodejs_active_handles_total",
];

interface Sample {
  readonly rssMiB: number;
  readonly metrics: ReadonlyMap<string, number>;
}

/** `npm run bench -- day`: makes the edits of a day in a short time, and measures whether memory grows. */
export function dayCommand(report: (line: string) => void): Command {
  return new Command("day")
    .description("Edit, delete and recreate resources repeatedly, and check that memory does not grow")
    .option("--edits <n>", "edits; one in twenty deletes and recreates a resource", "100000")
    .option("--resources <n>", "custom resources, with 3 ConfigMaps each", "500")
    .option("--samples <n>", "measurements of the memory, evenly distributed over the edits", "200")
    .action(async ({ edits, resources, samples }: ChurnOptions) => {
      const rig = await startLoadRig(report);
      try {
        const taken = await churn(rig, {
          edits: Number(edits),
          resources: Number(resources),
          samples: Number(samples),
          report,
        });
        process.stdout.write(quartersOf(taken));
      } finally {
        await rig.stop();
      }
    });
}

interface ChurnPlan {
  readonly edits: number;
  readonly resources: number;
  readonly samples: number;
  readonly report: (line: string) => void;
}

/** Edits as fast as the API server accepts them, eight at a time. */
async function churn(rig: LoadRig, { edits, resources, samples, report }: ChurnPlan): Promise<Sample[]> {
  const { api } = rig;
  const taken: Sample[] = [];
  const every = Math.max(1, Math.floor(edits / samples));
  const numbers = Array.from({ length: edits }, (_, edit) => edit).values();
  for (let index = 0; index < resources; index++) await api.apply(...resource(index, 3));
  const lane = async (): Promise<void> => {
    for (const edit of numbers) {
      const index = edit % resources;
      const [path, body] = resource(index, 3 + (Math.floor(edit / resources) % 2));
      if (edit % 20 === 7) await api.send("DELETE", path, undefined, [404]);
      await api.apply(path, body);
      if (edit % every !== 0) continue;
      taken.push(await sample(rig));
      if (edit % (every * 10) === 0) report(`${edit} edits, ${taken.at(-1)?.rssMiB.toFixed(0)} MiB`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  await untilSettled(rig, resources);
  return taken;
}

function resource(index: number, size: number): [path: string, body: object] {
  return [`${benchSetsPath}/churn-${index}`, aBenchSet(`churn-${index}`, size)];
}

async function sample({ operatorPid, metrics }: LoadRig): Promise<Sample> {
  const status = await readFile(`/proc/${operatorPid}/status`, "utf8");
  const rssKiB = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]);
  return { rssMiB: rssKiB / 1_024, metrics: await metrics() };
}

/** Waits until all resources exist and are published. */
async function untilSettled({ api }: LoadRig, resources: number): Promise<void> {
  const published = new Set<string>();
  const stop = new AbortController();
  await api.watch(
    benchSetsPath,
    ({ object }) => {
      if (isPublished(object)) published.add(object.metadata.name);
      else published.delete(object.metadata.name);
    },
    stop.signal,
  );
  const late = performance.now() + 300_000;
  while (published.size < resources) {
    if (performance.now() > late)
      throw new Error(`Only ${published.size} of ${resources} resources were published at the end`);
    await sleep(200);
  }
  stop.abort();
}

/** A table of the four quarters, and whether memory is constant. Pure. */
export function quartersOf(samples: readonly Sample[]): string {
  const quarters = [0, 1, 2, 3].map((quarter) =>
    samples.slice((quarter * samples.length) / 4, ((quarter + 1) * samples.length) / 4),
  );
  const peaks = (read: (sample: Sample) => number) =>
    quarters.map((quarter) => Math.max(...quarter.map(read)));
  const rss = peaks(({ rssMiB }) => rssMiB);
  const ratio = (rss[3] ?? Number.NaN) / (rss[1] ?? Number.NaN);
  const lines = watched.map(
    (name) =>
      `${name.padEnd(36)}${peaks(({ metrics }) => metrics.get(name) ?? 0)
        .map(cell)
        .join("")}`,
  );
  return [
    `${"peak of each quarter".padEnd(36)}${["1", "2", "3", "4"].map((text) => text.padStart(14)).join("")}`,
    `${"RSS, MiB".padEnd(36)}${rss.map(cell).join("")}`,
    ...lines,
    `last quarter : second quarter = ${ratio.toFixed(3)}, at most 1.1: ${ratio <= 1.1 ? "holds" : "DOES NOT HOLD"}`,
    "",
  ].join("\n");
}

function cell(value: number): string {
  return (Number.isInteger(value) ? String(value) : value.toFixed(1)).padStart(14);
}
