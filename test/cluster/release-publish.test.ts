import { expect, test } from "vitest";
import { eventually, readObject } from "./fixture.ts";
import { aConfigMapFile, aReleaseHarness } from "./release-harness.ts";

const program = (key: string) => `
import { ApiObject, type App, Chart } from "cdk8s";

export default function main(app: App, inputs: { readonly colour: string }): void {
  const chart = new Chart(app, "web");
  new ApiObject(chart, "map", {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "web" },
    data: { ${key}: inputs.colour },
  });
}
`;

test("a program is deployed with its inputs, and its manifests are on a branch, where edits are reverted", async () => {
  const harness = await aReleaseHarness();
  const { namespace, commit, source } = harness;
  const first = commit({ "shop/main.ts": program("colour"), "all/web.json": aConfigMapFile("all", {}) });
  const policy = JSON.stringify({ publish: [{ branch: "env", path: "prod" }] });
  await harness.start([
    `--repository=${source.path}`,
    `--repository-cache=${source.folder}/cache`,
    `--release-policy=${policy}`,
  ]);
  const render = { program: { inputs: { colour: "blue" } } };
  await harness.release("shop", { render, publish: { branch: "env", path: "prod" } });
  await harness.untilAt("shop", first);
  expect(await readObject("configmaps", "web", namespace)).toMatchObject({ data: { colour: "blue" } });

  const file = `prod/${namespace}/releases.fairlead.dev/shop/configmap-web.yaml`;
  await harness.until("shop", { type: "Published", status: "True" });
  expect(source.read(file, "env")).toMatch(/colour: blue/);
  const message = source.message("env");
  expect(message).toMatch(new RegExp(`^Fairlead-Source: ${first}$`, "m"));
  expect(message).toMatch(/^Fairlead-Program: \w+$/m);
  expect(message).toMatch(/^Fairlead-Inputs: \w+$/m);

  source.commitByOthers({ [file]: "edited: by hand\n" }, { branch: "env" });
  await harness.release("shop", {
    render: { program: { inputs: { colour: "green" } } },
    publish: { branch: "env", path: "prod" },
  });
  await eventually(() => /colour: green/.test(source.read(file, "env")), { what: "the edit is overwritten" });

  // A Release of its own output is not published, and is nevertheless deployed.
  await harness.release("all", {
    source: { url: `file://${source.path}`, path: "." },
    render: { manifests: {} },
    target: {},
  });
  await harness.until("all", {
    type: "Published",
    status: "False",
    reason: "PublishRefused",
    message: /overlaps/,
  });

  const broken = commit({ "shop/main.ts": "export default () => { throw new Error('no colour left'); };\n" });
  const failed = await harness.until("shop", {
    status: "False",
    reason: "RenderFailed",
    message: /main\.ts:1.*no colour left|no colour left.*main\.ts:1/s,
  });
  expect(failed.status).toMatchObject({ revision: first, attempted: broken });
  await harness.remove("shop");
  await eventually(() => !source.paths("env").includes(file), {
    what: "its folder was removed from the branch",
  });
});

test("a Release publishes to its own folder only, unless the platform allows another location", async () => {
  const { start, commit, release, until, source, namespace } = await aReleaseHarness();
  commit({
    "own/web.json": aConfigMapFile("own", {}),
    "branch/web.json": aConfigMapFile("branch", {}),
    "other/web.json": aConfigMapFile("other", {}),
    "workflows/web.json": aConfigMapFile("workflows", {}),
  });
  const args = [`--repository=${source.path}`, "--repository-branch=rendered", "--repository-path=one"];
  await start([...args, `--repository-cache=${source.folder}/cache`]);

  // When Releases name another branch, another tenant's folder and the folder of workflows
  await release("branch", { publish: { branch: "main" } });
  await release("other", { publish: { path: "one/other-tenant" } });
  await release("workflows", { publish: { branch: "main", path: ".github/workflows" } });
  await release("own");

  // Then they are deployed, and not published
  const refused = { type: "Published", status: "False", reason: "PublishRefused", message: /platform team/ };
  for (const name of ["branch", "other", "workflows"]) {
    await until(name, refused);
    await until(name, { status: "True" });
  }
  await until("own", { type: "Published", status: "True" });
  expect(source.paths("rendered")).toEqual([
    "one/.fairlead.yaml",
    `one/${namespace}/releases.fairlead.dev/own/configmap-own.yaml`,
  ]);
  expect(source.paths("main").filter((path) => path.includes("releases.fairlead.dev"))).toEqual([]);
});
