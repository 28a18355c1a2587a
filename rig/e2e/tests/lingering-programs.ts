import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../test/cluster/eventually.ts";
import { leaderOf, OPERATOR, untilReplaced } from "../operator.ts";
import { findCgroups, measurePeaks } from "../peaks.ts";
import type { Stack } from "../stack.ts";
import {
  apply,
  commitFiles,
  createTenant,
  readConditions,
  readConfigMap,
  readRestarts,
  releaseOf,
  requestPoll,
} from "../tenants.ts";

const { namespace } = OPERATOR;
const attacker = "lingering";
const victim = "neighbour";
/** The operator ends an unused process after a minute. One that ends before was ended for another reason. */
const UNUSED_MS = 60_000;

/** Takes memory as fast as the machine can: it writes one byte to each page, until the kernel refuses more. */
const filling = `const all = [];
  for (;;) try {
    const buffer = Buffer.allocUnsafeSlow(2 ** 24);
    for (let at = 0; at < buffer.length; at += 4096) buffer[at] = 1;
    all.push(buffer);
  } catch {}`;

/** Code that programs run after their answer. `load` returns Node's modules. Their processes end. */
const afterAnswer: Readonly<Record<string, string>> = {
  memory: filling,
  processor: "for (;;);",
  pool: 'for (let i = 0; i < 4; i++) load("crypto").pbkdf2("a", "b", 2 ** 31 - 1, 64, "sha512", () => {});',
  threads:
    'for (let i = 0; i < 500; i++) try { new (load("worker_threads").Worker)("setInterval(() => {}, 1000)", { eval: true }).on("error", () => {}); } catch {}',
  message: 'load("fs").writeSync(1, Buffer.alloc(2));',
};
/** Code that uses little. Its process remains, without child processes. */
const quiet =
  'setInterval(() => { try { load("child_process").spawn(process.execPath, ["-e", "for (;;);"]).on("error", () => {}); } catch {} }, 250);';

interface Inputs {
  readonly version: number;
  /** When the code runs, in milliseconds since 1970, but not before the answer. Default: two seconds after the run. */
  readonly atMs?: number;
}

/**
 * A program that returns a ConfigMap of its name, and runs the code after its answer. Its name is its process's command line. A run
 * with a version below 0 does not end by itself.
 */
const lingering = (name: string, code: string): string => `
  const load = (name) => process.getBuiltinModule(name);
  process.title = "${titleOf(name)}";
  export default async ({ version, atMs = 0 }) => {
    if (version < 0) { ${filling} }
    globalThis.timer ??= setTimeout(() => { ${code} }, Math.max(2_000, atMs - Date.now()));
    return [${configMap(name, `\${version}`)}];
  };`;

const titleOf = (name: string): string => `lingering-${name}`;

const configMap = (name: string, version: string): string =>
  `{ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "${name}" }, "data": { "version": \`${version}\` } }`;

const releaseFor = (tenant: string, name: string, inputs: Inputs): object =>
  releaseOf({
    ...{ namespace: tenant, name },
    render: { program: { entry: "main.ts", timeout: "30s", inputs } },
  });

/** Tests programs that escaped, answer as usual, and use resources in their process afterwards. */
export function lingeringProgramTests(stack: () => Stack): void {
  let leader = "";
  let version = 0;
  beforeAll(async () => {
    ({ leader } = await untilReplaced(stack()));
    await Promise.all([attacker, victim].map((tenant) => createTenant(stack(), tenant)));
  });

  /** Another namespace deploys a program and a folder. */
  const deployVictim = async (): Promise<void> => {
    version += 1;
    await commitFiles(stack(), victim, {
      "shop/main.ts": `export default async ({ version }) => [${configMap("shop", `\${version}`)}];`,
      "plain/all.json": configMap("plain", `${version}`).replaceAll("`", '"'),
    });
    await apply(stack(), [
      releaseFor(victim, "shop", { version }),
      releaseOf({ namespace: victim, name: "plain", render: { manifests: {} } }),
    ]);
    await requestPoll(stack(), victim, "plain");
    for (const name of ["shop", "plain"]) await untilDeployed(stack(), { tenant: victim, name, version });
  };

  test("only the process of a program that uses memory, processors or threads after its answer ends", async () => {
    // Their processes would take the places of those of this test.
    await stack().kubectl("delete releases --all -n attacker --timeout=180s");
    const programs = { ...afterAnswer, quiet };
    const files = Object.entries(programs).map(([name, code]) => [`${name}/main.ts`, lingering(name, code)]);
    await commitFiles(stack(), attacker, Object.fromEntries(files));
    await deployVictim();
    const peaks = await measurePeaks(stack(), namespace);
    const processes = await watchProcesses(stack(), leader);
    for (const name of Object.keys(afterAnswer)) {
      // Rendered again, so that it does not end because it is unused.
      await apply(stack(), [
        releaseFor(attacker, "quiet", { version }),
        releaseFor(attacker, name, { version }),
      ]);
      for (const deployed of ["quiet", name])
        await untilDeployed(stack(), { tenant: attacker, name: deployed, version });
      const answeredMs = performance.now();
      await deployVictim();
      await eventually(() => processes.sawEnd(titleOf(name)), {
        what: `the process of the program ${name} has ended`,
        timeoutMs: UNUSED_MS - (performance.now() - answeredMs) - 5_000,
      });
      expect(processes.pidsOf(titleOf("quiet"))).toHaveLength(1);
    }
    await expectUnharmed(stack(), { leader, peaks });
    // Nothing was lost: a new process runs each program.
    const names = Object.keys(programs);
    await apply(
      stack(),
      names.map((name) => releaseFor(attacker, name, { version: 100 })),
    );
    for (const name of names) await untilDeployed(stack(), { tenant: attacker, name, version: 100 });
    await eventually(
      async () => {
        const ready = await readConditions(stack(), attacker, "Ready");
        expect(names.filter((name) => ready.get(name)?.status !== "True")).toEqual([]);
        return true;
      },
      { what: "all of its Releases are ready" },
    );
    // A render that is lost with its process has a reason.
    await apply(stack(), [releaseFor(attacker, "quiet", { version: -1 })]);
    await eventually(
      async () => {
        const { reason, message } = (await readConditions(stack(), attacker, "Sourced")).get("quiet") ?? {};
        expect(`${reason}: ${message}`).toMatch(/^RenderLimit: .*takes more than 256 MiB of memory/);
        return true;
      },
      { what: "the Release reports why its process ended" },
    );
  });

  test("three programs fill memory at the same time after their answers, and another namespace deploys", async () => {
    await stack().kubectl(`delete releases --all -n ${attacker} --timeout=180s`);
    const names = ["first", "second", "third"];
    const files = names.map((name) => [`${name}/main.ts`, lingering(name, filling)]);
    await commitFiles(stack(), attacker, Object.fromEntries(files));
    const peaks = await measurePeaks(stack(), namespace);
    const processes = await watchProcesses(stack(), leader);
    const atMs = Date.now() + 30_000;
    await apply(
      stack(),
      names.map((name) => releaseFor(attacker, name, { version, atMs })),
    );
    for (const name of names) await untilDeployed(stack(), { tenant: attacker, name, version });
    expect(names.map((name) => processes.pidsOf(titleOf(name)).length)).toEqual([1, 1, 1]);
    // Not before: the operator keeps three processes.
    await sleep(Math.max(0, atMs - Date.now()));
    for (const _ of [1, 2]) await deployVictim();
    await eventually(() => names.every((name) => processes.sawEnd(titleOf(name))), {
      what: "their processes have ended",
      timeoutMs: UNUSED_MS,
    });
    await expectUnharmed(stack(), { leader, peaks });
  });
}

interface UntilDeployed {
  readonly tenant: string;
  readonly name: string;
  readonly version: number;
}

async function untilDeployed(stack: Stack, { tenant, name, version }: UntilDeployed): Promise<void> {
  await eventually(async () => (await readConfigMap(stack, tenant, name))?.["version"] === String(version), {
    what: `the ConfigMap ${name} has version ${version}`,
    intervalMs: 200,
  });
}

interface Harm {
  readonly leader: string;
  readonly peaks: Awaited<ReturnType<typeof measurePeaks>>;
}

/** No container was restarted, or reached its memory limit. */
async function expectUnharmed(stack: Stack, { leader, peaks }: Harm): Promise<void> {
  const measured = (await peaks.end()).filter(({ pod }) => pod === leader);
  process.stdout.write(`${measured.map(({ text }) => text).join("\n")}\n`);
  expect(measured.map(({ container }) => container)).toContain("sandbox");
  expect(measured.filter(({ killed, peakMiB, limitMiB }) => killed > 0 || peakMiB >= limitMiB)).toEqual([]);
  const restarts = await readRestarts(stack, namespace);
  expect(Object.keys(restarts)).toContain(`${leader}/operator`);
  expect(Object.entries(restarts).filter(([, restarted]) => restarted.length > 0)).toEqual([]);
  expect(await leaderOf(stack)).toBe(leader);
}

interface WatchedProcesses {
  /** The processes with this command line that run now. */
  pidsOf(title: string): readonly number[];
  /** Whether there was a process with this command line, and there is none now. */
  sawEnd(title: string): boolean;
}

/** Polls the processes of the sandbox container of a pod from the machine, until the test ends. */
async function watchProcesses(stack: Stack, pod: string): Promise<WatchedProcesses> {
  const cgroups = await findCgroups(stack, namespace);
  const cgroup = cgroups.find((found) => found.pod === pod && found.container === "sandbox");
  const seen = new Set<string>();
  const read = (): ReadonlyMap<number, string> => {
    const pids = readFileSync(join(cgroup?.folder ?? "", "cgroup.procs"), "utf8")
      .split("\n")
      .filter(Boolean);
    const titles = new Map(pids.map((pid) => [Number(pid), readTitle(pid)]));
    for (const title of titles.values()) seen.add(title);
    return titles;
  };
  read();
  const timer = setInterval(read, 50);
  onTestFinished(() => clearInterval(timer));
  const pidsOf = (wanted: string): readonly number[] =>
    [...read()].flatMap(([pid, title]) => (title === wanted ? pid : []));
  return {
    pidsOf,
    sawEnd: (title) => seen.has(title) && pidsOf(title).length === 0,
  };
}

/** The first word of a process's command line; empty: it has ended. */
function readTitle(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0")[0] ?? "";
  } catch {
    return "";
  }
}
