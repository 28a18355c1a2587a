import { renameSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import { kubectl } from "./fixture.ts";
import { aConfigMapFile, aReleaseHarness } from "./release-harness.ts";

test("after a restart without a clone and with the repository deleted, the health of the deployed objects is known", async () => {
  // Given a deployed Release
  const harness = await aReleaseHarness();
  const first = harness.commit({
    "shop/a.json": aConfigMapFile("a", { colour: "blue" }),
    "shop/b.json": aConfigMapFile("b", { colour: "blue" }),
  });
  const former = await harness.start();
  await harness.release("shop");
  await harness.untilAt("shop", first);

  // When the operator is restarted without its clone, and the repository is deleted
  await former.stop();
  await rm(join(harness.source.folder, "releases"), { recursive: true, force: true });
  renameSync(harness.source.path, `${harness.source.path}.gone`);
  await harness.start();
  await harness.until("shop", { status: "False", reason: "SourceNotFound" });
  await harness.until("shop", { type: "Healthy", status: "True", message: /^2 objects in place$/ });

  // Then a deleted object is reported
  await kubectl(["delete", "configmap", "b", "-n", harness.namespace]);
  await harness.until("shop", {
    type: "Healthy",
    status: "False",
    message: /^ConfigMap .*\/b: does not exist$/,
  });

  // And it is recreated when the repository is restored
  renameSync(`${harness.source.path}.gone`, harness.source.path);
  await harness.until("shop", { status: "True", reason: "Reconciled" });
  await harness.until("shop", { type: "Healthy", status: "True", message: /^2 objects in place$/ });
});
