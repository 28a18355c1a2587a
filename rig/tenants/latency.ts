import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { Option } from "commander";
import { installSharedKinds } from "../../test/cluster/shared-kinds.ts";
import { onCluster, print, stopSignal } from "../../test/random-runs.ts";
import { callHook } from "../bench/releases/call-hook.ts";
import { medianOf } from "../bench/report/bootstrap.ts";
import { assessRatio } from "../bench/tenants/report.ts";
import { chanceFrom } from "../faults/random.ts";
import { parseCount, parseNumber, testProgram } from "../program-options.ts";
import type { AttackerInput, AttackerOrder, AttackerReport } from "./attacker-thread.ts";
import { makeAllowance } from "./policies.ts";
import { aConfigMap, deployFrom } from "./releases.ts";
import { createTenantsFixture, type TenantsFixture } from "./tenants-fixture.ts";

interface LatencyOptions {
  readonly edits: number;
  readonly seed: number;
  readonly pause: number;
  readonly beside: "tenant" | "loop";
}

const options = testProgram(
  "npm run test:tenant-latency --",
  "Measures pushes of one tenant to its 20 Releases, alternately beside one that takes the actions of the random search, and without it.",
)
  .option("--edits <n>", "measured pushes, with the other tenant and without", parseCount, 200)
  .option("--seed <number>", "seed of the actions", parseNumber, 1)
  .option("--pause <ms>", "pause of the other tenant after each action, in milliseconds", parseNumber, 0)
  .addOption(
    new Option(
      "--beside <which>",
      "the other tenant, or a busy process with the lowest priority, which shows what the machine itself allows",
    )
      .choices(["tenant", "loop"])
      .default("tenant"),
  )
  .parse()
  .opts<LatencyOptions>();
const { edits, seed, pause: pauseMs, beside } = options;
/** Pushes in a row with, and without: one to each Release, because the operator delays changes of one that follow each other. */
const BLOCK = 20;
/** Pause between two pushes, so that they do not affect each other. */
const PAUSE_MS = 200;
/** Time after which programs that were running have ended. */
const SETTLE_MS = 5_000;
const hook = { port: 18_483, name: "victim", secret: "only-for-the-measurement" };

const signal = stopSignal();
const took = { with: [] as number[], without: [] as number[] };
let [actions, actingMs] = [0, 0];
await onCluster("tenants", async (cluster) => {
  await installSharedKinds(cluster);
  const folder = await mkdtemp(join(tmpdir(), "fairlead-hooks-"));
  await writeFile(join(folder, hook.name), hook.secret);
  const flags = [`--hook-bind-address=127.0.0.1:${hook.port}`, `--hook-secrets=${folder}`];
  const fixture = await createTenantsFixture(cluster, seed, flags);
  try {
    await measure(fixture);
  } finally {
    await fixture.close();
    await rm(folder, { recursive: true, force: true });
  }
});
const { line, holds } = assessRatio("hook after a push → ConfigMap changed", {
  served: took.with,
  absent: took.without,
});
print(line);
print(`beside a ${beside}; ${actions} actions, ${(actions / (actingMs / 1_000)).toFixed(1)} per second`);
process.exit(holds && !signal.aborted ? 0 : 1);

async function measure(fixture: TenantsFixture): Promise<void> {
  const { victim, attacker, attackerKubeconfigPath } = fixture;
  const chance = chanceFrom(seed);
  const live = watchValues(fixture);
  const fileOf = (index: number, value: string): readonly [string, string] => [
    `${nameOf(index)}/web.json`,
    aConfigMap(nameOf(index), value),
  ];
  const push = async (index: number, value: string): Promise<number> => {
    victim.commit(Object.fromEntries([fileOf(index, value)]));
    const startMs = performance.now();
    const called = callHook(hook, `file://${victim.git.path}`);
    const tookMs = (await live.until(nameOf(index), value)) - startMs;
    await called;
    return tookMs;
  };
  const indexes = Array.from({ length: BLOCK }, (_, index) => index);
  victim.commit(Object.fromEntries(indexes.map((index) => fileOf(index, "first"))));
  for (const index of indexes) await deployFrom(victim, nameOf(index));
  for (const index of indexes) await live.until(nameOf(index), "first");
  const input: AttackerInput = {
    ...{ seed, pauseMs, namespace: attacker.namespace, kubeconfigPath: attackerKubeconfigPath },
    other: { namespace: victim.namespace, path: victim.git.path },
  };
  const thread = new Worker(new URL("./attacker-thread.ts", import.meta.url), { workerData: input });
  const order = async (what: AttackerOrder): Promise<void> => {
    const answered = once(thread, "message") as Promise<[AttackerReport]>;
    thread.postMessage(what);
    actions = (await answered)[0].actions;
  };
  /** Starts the other tenant, or the busy process. @returns A function that ends it. */
  const begin = async (): Promise<() => Promise<void>> => {
    if (beside === "loop") {
      const loop = spawn("nice", ["-n", "19", process.execPath, "--eval", "for (;;);"], { stdio: "ignore" });
      return async () => void loop.kill("SIGKILL");
    }
    await fixture.allow(makeAllowance(chance));
    await order("begin");
    return () => order("end");
  };
  try {
    for (let block = 0; took.with.length + took.without.length < 2 * edits; block++) {
      if (signal.aborted) return;
      const way = ["without", "with", "with", "without"][block % 4] as keyof typeof took;
      const begunMs = performance.now();
      const end = way === "with" ? await begin() : undefined;
      await sleep(SETTLE_MS);
      try {
        for (let count = Math.min(BLOCK, edits - took[way].length); count > 0; count--) {
          const edit = took[way].length;
          took[way].push(await push(edit % BLOCK, `${way} ${edit}`));
          await sleep(PAUSE_MS);
        }
        if (way === "with") actingMs += performance.now() - begunMs;
      } finally {
        await end?.();
      }
      print(`${way}: ${took[way].length} pushes, p50 ${medianOf(took[way].slice(-BLOCK)).toFixed(1)} ms`);
    }
    thread.postMessage("close" satisfies AttackerOrder);
    await once(thread, "exit");
  } finally {
    await thread.terminate();
    live.close();
  }
}

/** A Release of the victim, its folder and its ConfigMap. */
function nameOf(index: number): string {
  return `shop-${index}`;
}

/** Follows the victim's ConfigMaps, with a client that is connected all the time. */
function watchValues({ victim, cluster }: TenantsFixture): {
  /** Resolves with the time at which a ConfigMap has the value, as of `performance.now()`. */
  until(name: string, value: string): Promise<number>;
  close(): void;
} {
  const child = spawn(
    cluster.kubectlPath,
    [
      ...[`--kubeconfig=${cluster.kubeconfigPath}`, "get", "configmaps", "--namespace", victim.namespace],
      ...["--watch", "--output", String.raw`jsonpath={.metadata.name}={.data.value}{"\n"}`],
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const seen = new Map<string, PromiseWithResolvers<number>>();
  const entry = (row: string): PromiseWithResolvers<number> => {
    const known = seen.get(row) ?? Promise.withResolvers<number>();
    seen.set(row, known);
    return known;
  };
  const ended = once(child, "exit").then(([code]): never => {
    throw new Error(`The watch of ConfigMaps ended: kubectl ended with ${code}`);
  });
  // close() ends the watch, too: then nothing awaits this promise, and its rejection is expected.
  ended.catch(() => undefined);
  createInterface({ input: child.stdout }).on("line", (row) => entry(row).resolve(performance.now()));
  return {
    until: (name, value) => Promise.race([entry(`${name}=${value}`).promise, ended]),
    close: () => void child.kill(),
  };
}
