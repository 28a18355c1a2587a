import { expect, onTestFinished, test } from "vitest";
import { apiVersionOf } from "../../crds/object.ts";
import { Release } from "../../crds/release.ts";
import { ReleasePolicy } from "../../crds/release-policy.ts";
import { aNamespace, applyObjects, eventually, kubectl, readObject } from "./fixture.ts";
import { conditionOf, seen } from "./harness.ts";
import { aReleaseHarness } from "./release-harness.ts";

/** A program that computes for over a second, or for a moment, and creates a ConfigMap. */
const program = (rounds: number, colour: string) => `
  import { ApiObject, type App, Chart } from "cdk8s";
  export default (app: App) => {
    let sum = 0;
    for (let round = 0; round < ${rounds}; round++) sum = (sum * 31 + round) % 1000003;
    new ApiObject(new Chart(app, "c"), "o", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "web" },
      data: { colour: "${colour}" },
    });
  };`;

test("programs of a namespace wait when its hourly quota is used up, and nothing else does", async () => {
  const { namespace, source, commit, start, release, until, untilAt } = await aReleaseHarness();
  const other = await aNamespace();
  const colourIn = async (place: string) => {
    const { data } = ((await readObject("configmaps", "web", place)) ?? {}) as { data?: { colour?: string } };
    return data?.colour;
  };
  const allow = (seconds: number) =>
    applyObjects({
      apiVersion: apiVersionOf(ReleasePolicy),
      kind: ReleasePolicy.kind,
      metadata: { name: namespace },
      spec: {
        rules: [{ namespaces: { names: [namespace, other] }, quotas: { programSecondsPerHour: seconds } }],
      },
    });
  onTestFinished(async () => void (await kubectl(["delete", "relpol", namespace, "--ignore-not-found"])));
  await allow(1);
  await start([`--namespace=${other}`]);

  // Given a Release whose program took more than the hourly quota
  const first = commit({ "shop/main.ts": program(400_000_000, "blue"), "other/main.ts": program(1, "blue") });
  await release("shop", { render: { program: {} } });
  await untilAt("shop", first);

  // When another commit is pushed, then it waits, and reports until when
  commit({ "shop/main.ts": program(1, "green") });
  const waits = { status: "False", reason: "RenderQuota" };
  const message = new RegExp(
    `the 1 s per hour that ReleasePolicy ${namespace}, rule 1 allows.*continues at 20`,
  );
  await until("shop", { ...waits, message });
  await until("shop", { type: "Reconciling", status: "True", reason: "RenderQuota" });
  await until("shop", { type: "Healthy", status: "True" });

  // And the deployed objects are kept in sync
  await kubectl([
    "patch",
    "configmap",
    "web",
    "-n",
    namespace,
    "--type=merge",
    "-p",
    '{"data":{"colour":"red"}}',
  ]);
  await eventually(async () => (await colourIn(namespace)) === "blue", {
    what: "the manual edit is reverted",
  });

  // And programs of the other namespace, which has the same quota, run
  await applyObjects({
    apiVersion: apiVersionOf(Release),
    kind: Release.kind,
    metadata: { name: "shop", namespace: other },
    spec: { source: { url: `file://${source.path}`, path: "other" }, render: { program: {} } },
  });
  const isReady = async (): Promise<boolean> =>
    conditionOf(await seen(Release, other, "shop"), "Ready")?.status === "True";
  await eventually(isReady, { what: "the other Release is Ready" });
  await until("shop", waits);

  // When the platform allows more, then it continues at once
  await allow(3_600);
  await until("shop", { status: "True" });
  expect(await colourIn(namespace)).toBe("green");
});
