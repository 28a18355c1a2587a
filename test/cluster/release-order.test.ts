import { describe, expect, onTestFinished, test } from "vitest";
import { kubectl, readObject } from "./fixture.ts";
import { aConfigMapFile, aReleaseHarness } from "./release-harness.ts";

describe("the objects of a Release", () => {
  test("may include a definition and an object of the kind that it defines", async () => {
    const harness = await aReleaseHarness();
    const { namespace, commit } = harness;
    // Kinds are cluster-scoped: each run has a kind of its own.
    const plural = `tools${namespace.slice(-8)}`;
    const kind = `Tool${namespace.slice(-8)}`;
    const group = "tests.fairlead.dev";
    onTestFinished(
      async () =>
        void (await kubectl(["delete", "crd", `${plural}.${group}`, "--ignore-not-found", "--wait=false"])),
    );
    const commitId = commit({
      "shop/a-tool.json": {
        apiVersion: `${group}/v1`,
        kind,
        metadata: { name: "hammer" },
        spec: { weight: 3 },
      },
      "shop/tools.json": {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: `${plural}.${group}` },
        spec: {
          group,
          scope: "Namespaced",
          names: { plural, singular: plural, kind },
          versions: [
            {
              name: "v1",
              served: true,
              storage: true,
              schema: {
                openAPIV3Schema: {
                  type: "object",
                  properties: { spec: { type: "object", properties: { weight: { type: "integer" } } } },
                },
              },
            },
          ],
        },
      },
    });
    await harness.start();
    await harness.release("shop", {
      healthChecks: [{ apiVersion: `${group}/v1`, kind, current: "spec.weight > 2" }],
    });
    await harness.untilAt("shop", commitId);
    expect(await readObject(`${plural}.${group}`, "hammer", namespace)).toMatchObject({
      spec: { weight: 3 },
    });
    await harness.remove("shop");
    expect(await readObject("crd", `${plural}.${group}`)).toBeUndefined();
  });

  test("wait for the Releases on which it depends, and a cycle is reported", async () => {
    const harness = await aReleaseHarness();
    const { namespace, commit } = harness;
    commit({
      "base/base.json": aConfigMapFile("base", {}),
      "app/app.json": aConfigMapFile("app", {}),
    });
    await harness.start();
    await harness.release("app", { dependsOn: [{ name: "base" }] });
    await harness.until("app", { status: "False", reason: "DependencyNotReady", message: /base/ });
    expect(await readObject("configmaps", "app", namespace)).toBeUndefined();
    await harness.release("base");
    await harness.until("app", { status: "True" });
    // Deployed objects stay ready: only new ones would have to wait.
    await harness.release("base", { dependsOn: [{ name: "app" }] });
    const both = commit({ "base/base.json": aConfigMapFile("base", { x: "1" }) });
    await harness.until("base", { status: "False", reason: "DependencyCycle", message: /base.*app.*base/ });
    await harness.release("base");
    await harness.untilAt("base", both);
  });
});
