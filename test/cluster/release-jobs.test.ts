import { expect, test } from "vitest";
import { untilGone } from "./harness.ts";
import { aConfigMapFile, aReleaseHarness } from "./release-harness.ts";

/** A Job that is deleted a second after it is complete. */
const aJobFile = (image: string): object => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "migrate" },
  spec: {
    ttlSecondsAfterFinished: 1,
    template: { spec: { restartPolicy: "Never", containers: [{ name: "migrate", image }] } },
  },
});

test("a Job that was deleted after its time to live runs again when the source changes it, and only then", async () => {
  const harness = await aReleaseHarness();
  const { namespace, commit } = harness;
  const since = new Date();
  const runs = async () =>
    (await harness.writes(since)).filter((line) => line.includes(" jobs migrate ")).length;
  const first = commit({
    "shop/job.yaml": aJobFile("example.dev/migrate:1"),
    "shop/web.yaml": aConfigMapFile("web", { colour: "blue" }),
  });
  await harness.start();
  await harness.release("shop");
  await harness.untilAt("shop", first);
  await untilGone("jobs.batch", "migrate", namespace);

  const second = commit({ "shop/web.yaml": aConfigMapFile("web", { colour: "green" }) });
  const deployed = await harness.untilAt("shop", second);
  expect(deployed.status?.["inventory"]).toMatchObject({
    deployed: 2,
    entries: [`/ConfigMap/${namespace}/web`],
    finished: [expect.stringContaining(`batch/Job/${namespace}/migrate `)],
  });
  expect(await runs()).toBe(1);

  const third = commit({ "shop/job.yaml": aJobFile("example.dev/migrate:2") });
  await harness.untilAt("shop", third);
  expect(await runs()).toBe(2);
});
