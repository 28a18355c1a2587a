import { expect, test } from "vitest";
import { aConfigMapFile, aReleaseStory } from "./release-story.ts";
import { untilGone } from "./story.ts";

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
  const story = await aReleaseStory();
  const { namespace, commit } = story;
  const since = new Date();
  const runs = async () =>
    (await story.writes(since)).filter((line) => line.includes(" jobs migrate ")).length;
  const first = commit({
    "shop/job.yaml": aJobFile("example.dev/migrate:1"),
    "shop/web.yaml": aConfigMapFile("web", { colour: "blue" }),
  });
  await story.start();
  await story.release("shop");
  await story.untilAt("shop", first);
  await untilGone("jobs.batch", "migrate", namespace);

  const second = commit({ "shop/web.yaml": aConfigMapFile("web", { colour: "green" }) });
  const deployed = await story.untilAt("shop", second);
  expect(deployed.status?.["inventory"]).toMatchObject({
    deployed: 2,
    entries: [`/ConfigMap/${namespace}/web`],
    finished: [expect.stringContaining(`batch/Job/${namespace}/migrate `)],
  });
  expect(await runs()).toBe(1);

  const third = commit({ "shop/job.yaml": aJobFile("example.dev/migrate:2") });
  await story.untilAt("shop", third);
  expect(await runs()).toBe(2);
});
