import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { launchArguments } from "../../../operator/sandbox/launch-arguments.ts";
import { eventually } from "../../../test/cluster/eventually.ts";
import {
  type AttemptReport,
  attackingProgram,
  reportingProgram,
} from "../../../test/operator/sandbox/node-attempts.ts";
import { perlProgram, systemCalls } from "../../../test/operator/sandbox/system-calls.ts";
import { execIn } from "../exec.ts";
import { leaderOf, OPERATOR, untilReplaced } from "../operator.ts";
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
import { absent, type EscapeTargets, escapeAttempts, unanswered } from "./escape-attempts.ts";

const { namespace } = OPERATOR;
const node = "/usr/local/bin/node";
const perl = "/usr/bin/perl";
const loaders = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"].filter(existsSync);
const [EPERM, ENOSYS] = [1, 38];
const permissionErrors = /^(EACCES|EPERM)$/;
const secret = "victim's-inputs-6f1c2a9d03b0";
const program = (entry = "main.ts", timeout = "30s", inputs?: object) => ({
  program: { entry, timeout, ...(inputs && { inputs }) },
});

interface Exhausting {
  readonly code: string;
  readonly says: RegExp;
  /** Default: long enough to reach the other limits first, also on a slow machine. */
  readonly timeout?: string;
}

/** Programs that exhaust a resource. `load` returns Node's modules. */
const exhausting: Readonly<Record<string, Exhausting>> = {
  memory: {
    code: "const all = []; for (;;) all.push(Buffer.alloc(2 ** 23, 1));",
    says: /^RenderLimit: .*takes more than 256 MiB of memory/,
  },
  // The kernel may reject the last threads, because of the memory of their stacks, before the limit of threads applies.
  threads: {
    code: 'const { Worker } = load("worker_threads"); for (let i = 0; i < 500; i++) try { new Worker("for (;;);", { eval: true }).on("error", () => {}); } catch {} await new Promise(() => {});',
    says: /^RenderLimit: .*(more than (64 threads|256 MiB of memory)|runs longer than 5 s)/,
    timeout: "5s",
  },
  // One thread of the program, and Node's threads for slow functions.
  processor: {
    code: 'for (let i = 0; i < 4; i++) load("crypto").pbkdf2("a", "b", 2 ** 31 - 1, 64, "sha512", () => {}); for (;;);',
    says: /^RenderLimit: .*runs longer than 5 s/,
    timeout: "5s",
  },
  output: {
    code: 'return [{ text: "x".repeat(40 * 2 ** 20) }];',
    says: /^RenderLimit: .*output is larger than 16 MiB/,
  },
  garbage: {
    code: 'for (;;) load("fs").writeSync(1, Buffer.alloc(2 ** 16, 255));',
    says: /^RenderFailed: .*wrote unexpected data/,
  },
  errors: {
    code: 'for (;;) load("fs").writeSync(2, Buffer.alloc(2 ** 16, 65));',
    says: /^RenderFailed: .*EPIPE/,
  },
  crash: { code: "process.abort();", says: /^RenderLimit: .*memory/ },
};

/** Tests programs of Releases after a complete escape: each is a plain Node, restricted only by the launcher and the container. */
export function escapedProgramTests(stack: () => Stack): void {
  let leader = "";
  let otherPod = "";
  const table = (signal: EscapeTargets["signal"]) => escapeAttempts({ otherPod, secret, signal });

  test("a plain Node instead of a program deploys the objects that it returns, for two namespaces", async () => {
    ({ leader, otherPod } = await untilReplaced(stack()));
    await Promise.all(["victim", "attacker"].map((tenant) => createTenant(stack(), tenant)));
    await pushVictim(stack(), 1);
    await apply(stack(), [
      releaseOf({ namespace: "victim", name: "shop", render: program("main.ts", "30s", { secret }) }),
      releaseOf({ namespace: "victim", name: "plain", render: { manifests: {} } }),
    ]);
    await untilVictimHas(stack(), 1);
  });

  test("without isolation each of its attempts succeeds in a container of the pod", async () => {
    const command = [node, "-e", reportingProgram(table(0))];
    const reports = await Promise.all(
      ["operator", "sandbox", "source", "publish"].map(async (container) => {
        const report = await execIn(stack(), { pod: leader, namespace, container }, command);
        return JSON.parse(report) as AttemptReport;
      }),
    );
    const failed = reports[0]?.tried.filter((name) => reports.every(({ refused }) => name in refused));
    expect(failed).toEqual([...unanswered]);
    for (const name of unanswered) expect(reports.map(({ refused }) => refused[name])).not.toContain("EPERM");
  });

  test("with isolation none of its attempts succeeds: no token, file, memory, socket, process or signal", async () => {
    await commitFiles(stack(), "attacker", { "report/main.ts": attackingProgram(table("SIGKILL")) });
    await apply(stack(), [releaseOf({ namespace: "attacker", name: "report", render: program() })]);
    const report = await eventually(() => readConfigMap(stack(), "attacker", "attack"), {
      what: "the program has reported",
    });
    const { tried, refused, user } = JSON.parse(report["report"] ?? "") as AttemptReport;
    const { tries, waits } = table(0);
    expect(tried).toEqual([...Object.keys(tries), ...Object.keys(waits)]);
    expect(user).toEqual([65_533, 65_532]);
    const notThere: readonly string[] = absent;
    const succeeded = tried.filter(
      (name) =>
        !permissionErrors.test(refused[name] ?? "") &&
        !(notThere.includes(name) && refused[name] === "ENOENT"),
    );
    expect(succeeded.map((name) => [name, refused[name]])).toEqual([]);
  });

  test("code that has also escaped from Node cannot trace a process, read its memory or signal it", async () => {
    const run = (command: readonly string[]): Promise<string> =>
      execIn(stack(), { pod: leader, namespace, container: "sandbox" }, command);
    const command = [perl, "-e", perlProgram(1)];
    const rules = {
      read: ["/lib", "/dev/null"],
      execute: [perl, ...loaders],
      seccomp: "program",
      require: ["no-new-privileges", "files", "seccomp"],
    } as const;
    const outputs = [
      await run(command),
      await run(["/app/fairlead-launch", ...launchArguments(rules, command)]),
    ];
    const [open, isolated] = outputs.map((text) => JSON.parse(text) as Record<string, number>);
    for (const name of ["ptrace", "pidfd_open", "kill"]) expect([name, open?.[name]]).toEqual([name, 0]);
    const allowed = systemCalls.filter(({ name }) => ![EPERM, ENOSYS].includes(isolated?.[name] ?? 0));
    expect(allowed).toEqual([]);
  });

  test("only a program that uses all memory, threads or processors ends, and another namespace deploys meanwhile", async () => {
    const files = Object.entries(exhausting).map(([name, { code }]) => [
      `${name}/main.ts`,
      `const load = (name) => process.getBuiltinModule(name);\nexport default async () => { ${code} };`,
    ]);
    await commitFiles(stack(), "exhausting", Object.fromEntries(files));
    const ofAttacker = { namespace: "attacker", repository: "exhausting" };
    await apply(
      stack(),
      Object.entries(exhausting).map(([name, { timeout = "120s" }]) =>
        releaseOf({ ...ofAttacker, name, render: program("main.ts", timeout) }),
      ),
    );
    for (const version of [2, 3, 4]) {
      await pushVictim(stack(), version);
      await Promise.all(["shop", "plain"].map((name) => requestPoll(stack(), "victim", name)));
      await untilVictimHas(stack(), version);
    }
    await eventually(
      async () => {
        const conditions = await readConditions(stack(), "attacker", "Sourced");
        for (const [name, { says }] of Object.entries(exhausting)) {
          const { reason = "", message = "" } = conditions.get(name) ?? {};
          expect(`${reason}: ${message}`).toMatch(says);
        }
        return true;
      },
      { what: "each Release reports why its program ended", intervalMs: 500 },
    );
    const restarts = await readRestarts(stack(), namespace);
    expect(Object.keys(restarts)).toContain(`${leader}/operator`);
    expect(Object.entries(restarts).filter(([, restarted]) => restarted.length > 0)).toEqual([]);
    expect(await leaderOf(stack())).toBe(leader);
  });
}

async function pushVictim(stack: Stack, version: number): Promise<void> {
  const configMap = (name: string) =>
    `{ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "${name}" }, "data": { "version": "${version}" } }`;
  await commitFiles(stack, "victim", {
    "shop/main.ts": `export default async () => [${configMap("shop")}];`,
    "plain/all.json": configMap("plain"),
  });
}

async function untilVictimHas(stack: Stack, version: number): Promise<void> {
  for (const name of ["shop", "plain"]) {
    await eventually(
      async () => (await readConfigMap(stack, "victim", name))?.["version"] === String(version),
      { what: `the ConfigMap ${name} has version ${version}`, intervalMs: 200 },
    );
  }
}
