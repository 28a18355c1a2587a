import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { kinds } from "../../charts/bindings.ts";
import { runDiff } from "../../cli/commands/diff.ts";
import { runEvents } from "../../cli/commands/events.ts";
import { runGet } from "../../cli/commands/get.ts";
import { runHistory } from "../../cli/commands/history.ts";
import { runReconcile } from "../../cli/commands/reconcile.ts";
import { runRollback } from "../../cli/commands/rollback.ts";
import type { Screen } from "../../cli/commands/screen.ts";
import { runSuspend } from "../../cli/commands/suspend.ts";
import { runTree } from "../../cli/commands/tree.ts";
import { aNamespace, applyObjects, readObject, testCluster } from "./fixture.ts";
import { aFolder } from "./operator.ts";
import { aConfigMapFile, aDeploymentFile, aReleaseHarness } from "./release-harness.ts";

/** Runs a command as `admin`, and returns its output. */
async function outputOf(run: (screen: Screen) => Promise<unknown>): Promise<string> {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  await run({ print, withProgress: (_, work) => work(() => {}) });
  return lines.join("\n");
}

test("commands show, compare, roll back, suspend and resume a Release, without other tools", async () => {
  const harness = await aReleaseHarness();
  const { commit, namespace } = harness;
  const flags = { kubeconfig: testCluster().kubeconfigPath, namespace };
  const files = {
    "shop/a.json": aConfigMapFile("a", { colour: "blue" }),
    "shop/b.json": aDeploymentFile("b"),
  };
  const first = commit(files);
  await harness.start();
  await harness.release("shop");
  await harness.untilAt("shop", first);

  // Nothing differs, and then a change that was not pushed to the branch of the Release.
  const diff = async (more: object = {}) => {
    let code = -1;
    const text = await outputOf(async (screen) => {
      code = await runDiff("sho", { ...flags, kinds, ...more }, screen);
    });
    return { code, text };
  };
  const same = await diff();
  expect(same.text).toMatch(/^Release \S+\/shop at [0-9a-f]{10} \(.*\): 2 unchanged$/);
  expect(same.code).toBe(0);

  await outputOf((screen) => runSuspend("shop", { ...flags, suspend: true }, screen));
  const second = commit({
    "shop/a.json": aConfigMapFile("a", { colour: "green" }),
    "shop/b.json": undefined,
  });
  const differs = await diff();
  expect(differs.code).toBe(1);
  expect(differs.text).toContain("-  colour: blue\n+  colour: green");
  expect(differs.text).toContain("delete  Deployment");
  expect((await diff({ revision: first })).code).toBe(0);
  expect((await readObject<{ data: object }>("configmaps", "a", namespace))?.data).toEqual({
    colour: "blue",
  });

  // All of the namespace are listed, changed and reported at once.
  const all = { ...flags, all: true } as const;
  expect(await outputOf((screen) => runSuspend(undefined, { ...all, suspend: true }, screen))).toBe(
    `1 Releases in namespace "${namespace}": 0 suspended, 1 were already suspended, 0 failed`,
  );
  expect(await outputOf((screen) => runSuspend(undefined, { ...all, suspend: false }, screen))).toMatch(
    /shop is resumed\n1 Releases .*: 1 resumed/,
  );
  expect(await outputOf((screen) => runSuspend(undefined, { ...all, suspend: true }, screen))).toContain(
    "shop is suspended",
  );
  expect(await outputOf((screen) => runGet(flags, screen))).toMatch(
    new RegExp(`^NAME +READY.*MESSAGE\\nshop +\\w+ +\\w+ +${first.slice(0, 10)} `),
  );
  expect(
    await outputOf((screen) => runGet({ ...flags, output: "name", allNamespaces: true }, screen)),
  ).toContain(`${namespace}/shop`);
  expect(await outputOf((screen) => runEvents("shop", flags, screen))).toMatch(
    /^LAST SEEN|reported nothing about/,
  );

  // Resumed, and rolled back.
  const wait = { ...flags, wait: true } as const;
  expect(await outputOf((screen) => runSuspend("shop", { ...flags, suspend: false }, screen))).toContain(
    "is resumed",
  );
  expect(await outputOf((screen) => runReconcile("shop", wait, screen))).toMatch(/is Ready at/);
  await harness.untilAt("shop", second);
  const history = await outputOf((screen) => runHistory("shop", flags, screen));
  expect(history).toMatch(
    new RegExp(`^1 +${second.slice(0, 10)} .* Ready[\\s\\S]*^2 +${first.slice(0, 10)} .* Ready`, "m"),
  );
  const back = await outputOf((screen) => runRollback({ name: "shop", revision: undefined }, wait, screen));
  expect(back).toContain(`is pinned to ${first.slice(0, 10)}`);
  expect((await readObject<{ data: object }>("configmaps", "a", namespace))?.data).toEqual({
    colour: "blue",
  });
  const tree = await outputOf((screen) => runTree("shop", { ...flags, kinds }, screen));
  expect(tree).toMatch(/is Ready at .*, pinned\n├─ ConfigMap \S+\/a +Current\n└─ Deployment/);
  const unpin = { ...wait, unpin: true } as const;
  expect(
    await outputOf((screen) => runRollback({ name: "shop", revision: undefined }, unpin, screen)),
  ).toContain("follows its source again");
  await harness.untilAt("shop", second);
});

test("a file is compared as the API server would accept it, and no value of a Secret is shown", async () => {
  const namespace = await aNamespace();
  const secret = (password: string) => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "keys", namespace },
    stringData: { password, user: "admin-of-all" },
  });
  const echo = {
    apiVersion: "mmontes.io/v1alpha1",
    kind: "Echo",
    metadata: { name: "hello" },
    spec: { message: "hi" },
  };
  await applyObjects(secret("hunter2-hunter2"));
  const file = join(await aFolder(), "objects.yaml");
  const flags = { kubeconfig: testCluster().kubeconfigPath, namespace, kinds };
  let code = -1;
  const compare = async (...objects: readonly object[]) => {
    await writeFile(file, objects.map((object) => JSON.stringify(object)).join("\n---\n"));
    return await outputOf(async (screen) => {
      code = await runDiff(file, flags, screen);
    });
  };
  expect(await compare(secret("hunter2-hunter2"))).toContain(": 1 unchanged");
  expect(code).toBe(0);
  const text = await compare(secret("swordfish-swordfish"), echo);
  expect(code).toBe(1);
  expect(text).toContain('-  password: "*** (before)"\n+  password: "*** (after)"');
  expect(text).not.toMatch(/hunter2|swordfish|admin-of-all|aHVudGVy|c3dvcmRm/);
  expect(text).toMatch(/create {2}Echo \S+\/hello[\s\S]*create {2}Job \S+\/hello/);
  expect(await readObject("echos.mmontes.io", "hello", namespace)).toBeUndefined();
  expect(await compare({ ...secret("x"), immutable: "perhaps" })).toMatch(/refused {2}Secret \S+\/keys/);
  expect(code).toBe(2);
});
