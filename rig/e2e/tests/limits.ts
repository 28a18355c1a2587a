import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { eventually } from "../../../test/cluster/eventually.ts";
import { pathOf } from "../node/layout.ts";
import { leaderOf, OPERATOR } from "../operator.ts";
import { measurePeaks } from "../peaks.ts";
import type { Stack } from "../stack.ts";
import {
  apply,
  commitFiles,
  createTenant,
  type FileContent,
  readConditions,
  readConfigMap,
  readRestarts,
  releaseOf,
  requestPoll,
} from "../tenants.ts";

const { namespace } = OPERATOR;
const MIB = 2 ** 20;
const tenants = ["one", "two", "three"] as const;
/**
 * On a busy machine the bundler and a program may reach their time limits before the expected limit. Then the Release is changed,
 * so that it is tried again.
 */
const outOfTime = /(bundling takes|it runs) longer than/;

/** `count` objects of `bytes` each. */
const making = (count: number, data: string): string =>
  `import { ApiObject, type App, Chart } from "cdk8s";
  export default (app: App) => {
    const chart = new Chart(app, "all");
    for (let i = 0; i < ${count}; i++)
      new ApiObject(chart, "o" + i, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "o" + i }, data: ${data} });
  };`;
/** Nearly 4 MiB of comments, in documents of the maximum size. */
const comments = `${`# ${"x".repeat(1_021)}\n`.repeat(1_000)}---\n`.repeat(4);
const oneConfigMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: full }\n";
const emptyObjects = (bytes: number): string => `[${"{},".repeat(bytes / 3)}{}]`;

const tinyObjects = (count: number): string =>
  Array.from(
    { length: count },
    (_, i) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"o${i}"}}`,
  ).join();

interface Case {
  readonly files: Readonly<Record<string, FileContent>>;
  readonly isProgram?: boolean;
  /** Reason and message of the condition Sourced. */
  readonly says: RegExp;
}

/** Releases of one tenant by name. Each of them uses one limit fully, and all except one exceed it. */
const cases: Readonly<Record<string, Case>> = {
  arrays: {
    files: {
      "main.ts":
        "const all = []; export default () => { for (;;) all.push(new Uint8Array(4 * 2 ** 20).fill(1)); };",
    },
    isProgram: true,
    says: /^RenderLimit: .*it takes more than 256 MiB of memory/,
  },
  output: {
    files: { "main.ts": making(18, '{ text: "x".repeat(2 ** 20) }') },
    isProgram: true,
    says: /^RenderLimit: .*its objects are larger than 16 MiB/,
  },
  dense: {
    files: { "main.ts": making(6, "Array(120_000).fill({})") },
    isProgram: true,
    says: /^RenderLimit: .*its objects take more than 25.6 MiB of memory/,
  },
  objects: {
    files: { "all.json": `{"apiVersion":"v1","kind":"List","items":[${tinyObjects(10_001)}]}` },
    says: /^RenderLimit: .*more than 10,?000 objects/,
  },
  bundle: {
    files: {
      "main.ts":
        'import a from "./a.json"; import b from "./b.json"; import c from "./c.json"; export default () => [a, b, c].length;',
      "a.json": emptyObjects(4 * MIB - 16),
      "b.json": emptyObjects(4 * MIB - 16),
      "c.json": emptyObjects(4 * MIB - 16),
    },
    isProgram: true,
    says: /^RenderLimit: .*memory/,
  },
  /** Uses the limit of bytes without exceeding it, so it is deployed. */
  full: {
    files: {
      ...Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`${index}.yaml`, comments])),
      "all.yaml": oneConfigMap,
    },
    says: /^Sourced: /,
  },
  bytes: {
    files: Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`${index}.yaml`, comments])),
    says: /^RenderLimit: .*more than 64 MiB/,
  },
  file: {
    files: { "all.json": emptyObjects(4 * MIB - 16) },
    says: /^RenderLimit: .*memory/,
  },
  yaml: {
    // Small enough for the memory limit, so that the limit of depth applies.
    files: { "all.yaml": "[".repeat(MIB / 2) },
    says: /^RenderLimit: .*all.yaml:1: /,
  },
  json: {
    files: { "all.json": "[".repeat(MIB) },
    says: /^RenderLimit: .*all.json:1: /,
  },
};
/**
 * The only tenant with a repository that exceeds the limit of a clone. Three of them would take the host a minute. It has no other
 * repository, because the size of another clone would reduce its limit.
 */
const ownerOfLargeRepository = "large";
const attackers = [...tenants, ownerOfLargeRepository];
const large = Object.fromEntries(
  Array.from({ length: 76 }, (_, index) => [`clone/${index}.bin`, { bytes: 7 * MIB }]),
);

/** Tests the installation's memory limits while tenants use all of their limits at the same time. */
export function limitTests(stack: () => Stack): void {
  test("four tenants exceed every limit: their jobs end, and a fifth one deploys", async () => {
    const leader = await eventually(() => leaderOf(stack()).then((name) => name || undefined), {
      what: "there is a leader",
    });
    await Promise.all([...attackers, "bystander"].map((tenant) => createTenant(stack(), tenant)));
    await pushTenants(stack());
    await pushBystander(stack(), 1);
    await apply(stack(), [
      releaseOf({ namespace: "bystander", name: "shop", render: { program: { entry: "main.ts" } } }),
      releaseOf({ namespace: "bystander", name: "plain", render: { manifests: {} } }),
    ]);
    await untilBystanderHas(stack(), 1);
    const peaks = await measurePeaks(stack(), namespace);
    await apply(stack(), attackers.flatMap(releasesOf));
    for (const version of [2, 3, 4]) {
      await pushBystander(stack(), version);
      await Promise.all(["shop", "plain"].map((name) => requestPoll(stack(), "bystander", name)));
      await untilBystanderHas(stack(), version);
    }
    await eventually(
      async () => {
        const unexpected = await withoutExpectedCondition(stack());
        const slow = unexpected.filter(({ text }) => outOfTime.test(text));
        await Promise.all(slow.map(({ tenant, name }) => changeInputs(stack(), tenant, name)));
        expect(unexpected).toEqual([]);
        return true;
      },
      { what: "each Release reports why it failed", intervalMs: 2_000 },
    );
    const measured = await peaks.end();
    process.stdout.write(`${measured.map(({ text }) => text).join("\n")}\n`);
    const ofLeader = measured.filter(({ pod }) => pod === leader);
    expect(ofLeader.map(({ container, limitMiB }) => [container, limitMiB]).toSorted()).toEqual([
      ["operator", 512],
      ["publish", 512],
      ["sandbox", 1_024],
      ["source", 768],
    ]);
    expect(ofLeader.filter(({ killed }) => killed > 0)).toEqual([]);
    const restarts = await readRestarts(stack(), namespace);
    expect(Object.entries(restarts).filter(([, restarted]) => restarted.length > 0)).toEqual([]);
    expect(await leaderOf(stack())).toBe(leader);
  });

  test("the tenants' Releases are deleted with their objects", async () => {
    for (const tenant of attackers)
      await stack().kubectl(["delete", "releases", "--all", "-n", tenant, "--timeout=180s"]);
    const left = await Promise.all(tenants.map((tenant) => readConfigMap(stack(), tenant, "full")));
    expect(left).toEqual([undefined, undefined, undefined]);
  });
}

interface Unexpected {
  readonly tenant: string;
  readonly name: string;
  readonly text: string;
}

/** Releases without the expected condition. */
async function withoutExpectedCondition(stack: Stack): Promise<readonly Unexpected[]> {
  const found = await Promise.all(
    attackers.map(async (tenant) => {
      const conditions = await readConditions(stack, tenant, "Sourced");
      return [...conditions].map(([name, condition]) => {
        const text = `${condition?.reason}: ${condition?.message}`;
        const says = cases[name]?.says ?? /^RenderLimit: Cannot fetch the repository: .*512 MiB/;
        return says.test(text) ? [] : [{ tenant, name, text }];
      });
    }),
  );
  return found.flat(2);
}

/** Without a change, a program that exceeded a limit is rendered again after 5 minutes. */
async function changeInputs({ kubectl }: Stack, namespace: string, name: string): Promise<void> {
  const patch = { spec: { render: { program: { inputs: { changedAt: performance.now() } } } } };
  await kubectl(["patch", "-n", namespace, `release/${name}`, "--type=merge", "-p", JSON.stringify(patch)]);
}

function releasesOf(tenant: string): object[] {
  if (tenant === ownerOfLargeRepository)
    return [releaseOf({ namespace: tenant, name: "clone", render: { manifests: {} } })];
  const program = { program: { entry: "main.ts", timeout: "20s" } };
  return Object.entries(cases).map(([name, { isProgram }]) =>
    releaseOf({ namespace: tenant, name, render: isProgram === true ? program : { manifests: {} } }),
  );
}

async function pushTenants(stack: Stack): Promise<void> {
  const files = Object.entries(cases).flatMap(([name, { files }]) =>
    Object.entries(files).map(([file, content]) => [`${name}/${file}`, content] as const),
  );
  await commitFiles(stack, "one", Object.fromEntries(files));
  await commitFiles(stack, ownerOfLargeRepository, large);
  const root = pathOf(stack.runDirectory, "gitRoot");
  for (const tenant of ["two", "three"])
    await promisify(execFile)("cp", ["-al", join(root, "one.git"), join(root, `${tenant}.git`)]);
}

async function pushBystander(stack: Stack, version: number): Promise<void> {
  await commitFiles(stack, "bystander", {
    "shop/main.ts": making(1, `{ version: "${version}" }`),
    "plain/all.json": JSON.stringify({
      ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "plain" } },
      data: { version: `${version}` },
    }),
  });
}

async function untilBystanderHas(stack: Stack, version: number): Promise<void> {
  for (const name of ["o0", "plain"]) {
    await eventually(
      async () => (await readConfigMap(stack, "bystander", name))?.["version"] === String(version),
      { what: `the ConfigMap ${name} has version ${version}`, intervalMs: 200 },
    );
  }
}
