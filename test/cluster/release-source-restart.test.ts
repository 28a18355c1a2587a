import { renameSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import { kubectl } from "./fixture.ts";
import { aConfigMapFile, aReleaseStory } from "./release-story.ts";

test("after a restart without a clone and with the repository deleted, the health of the deployed objects is known", async () => {
  // Given a deployed Release
  const story = await aReleaseStory();
  const first = story.commit({
    "shop/a.json": aConfigMapFile("a", { colour: "blue" }),
    "shop/b.json": aConfigMapFile("b", { colour: "blue" }),
  });
  const former = await story.start();
  await story.release("shop");
  await story.untilAt("shop", first);

  // When the operator is restarted without its clone, and the repository is deleted
  await former.stop();
  await rm(join(story.source.folder, "releases"), { recursive: true, force: true });
  renameSync(story.source.path, `${story.source.path}.gone`);
  await story.start();
  await story.until("shop", { status: "False", reason: "SourceNotFound" });
  await story.until("shop", { type: "Healthy", status: "True", message: /^2 objects in place$/ });

  // Then a deleted object is reported
  await kubectl(["delete", "configmap", "b", "-n", story.namespace]);
  await story.until("shop", {
    type: "Healthy",
    status: "False",
    message: /^ConfigMap .*\/b: does not exist$/,
  });

  // And it is recreated when the repository is restored
  renameSync(`${story.source.path}.gone`, story.source.path);
  await story.until("shop", { status: "True", reason: "Reconciled" });
  await story.until("shop", { type: "Healthy", status: "True", message: /^2 objects in place$/ });
});
