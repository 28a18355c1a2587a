import { expect, test } from "vitest";
import { apiVersionOf } from "../../crds/object.ts";
import { Release } from "../../crds/release.ts";
import { aNamespace, applyObjects, eventually, kubectl } from "./fixture.ts";
import { conditionOf, seen } from "./harness.ts";
import { aConfigMapFile, aReleaseHarness } from "./release-harness.ts";

test("a Release in another namespace is visible only to the namespaces that it allows", async () => {
  const harness = await aReleaseHarness();
  const { namespace, commit, source } = harness;
  const data = await aNamespace();
  commit({
    "db/db.json": aConfigMapFile("db", {}),
    "app/app.json": aConfigMapFile("app", {}),
    "api/api.json": aConfigMapFile("api", {}),
  });
  await applyObjects({
    apiVersion: apiVersionOf(Release),
    kind: Release.kind,
    metadata: { name: "db", namespace: data },
    spec: { source: { url: `file://${source.path}`, path: "db" }, interval: "1s", render: { manifests: {} } },
  });
  await harness.start([`--namespace=${data}`]);
  await eventually(async () => conditionOf(await seen(Release, data, "db"), "Ready")?.status === "True", {
    what: "the other Release is ready",
  });
  // One that is ready, and one that does not exist: the same message.
  await harness.release("app", { dependsOn: [{ name: "db", namespace: data }] });
  await harness.release("api", { dependsOn: [{ name: "none", namespace: data }] });
  const messageOf = async (name: string): Promise<string | undefined> => {
    const wanted = { status: "False", reason: "DependencyNotReady" };
    return conditionOf(await harness.until(name, wanted), "Ready")?.message;
  };
  const ofReady = await messageOf("app");
  expect(ofReady).toContain(
    `Release ${data}/db does not exist, or does not allow Releases of namespace ${namespace}`,
  );
  expect((await messageOf("api"))?.replace(`${data}/none`, `${data}/db`)).toBe(ofReady);
  // Its owner allows it, and it continues by itself.
  await kubectl(["annotate", "release", "db", "-n", data, `fairlead.dev/allow-dependents=${namespace}`]);
  await harness.until("app", { status: "True" });
});
