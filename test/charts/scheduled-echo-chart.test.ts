import { expect, test } from "vitest";
import { scheduledEcho } from "../../charts/bindings.ts";
import { observe } from "../fakes/observed.ts";
import { madeBy } from "./made-by.ts";

test("ScheduledEchoChart creates one CronJob with exactly the original's fields", () => {
  const labels = {
    "app.kubernetes.io/name": "scheduledecho",
    "app.kubernetes.io/instance": "hello",
    "app.kubernetes.io/managed-by": "fairlead",
  };
  const observed = observe();
  expect(
    madeBy(scheduledEcho, { name: "hello", spec: { message: "hi", schedule: "@hourly" } }, observed),
  ).toEqual([
    {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { name: "hello", namespace: "shop", labels },
      spec: {
        schedule: "@hourly",
        concurrencyPolicy: "Forbid",
        jobTemplate: {
          metadata: { generateName: "hello-", labels },
          spec: {
            template: {
              metadata: { generateName: "hello-", namespace: "shop", labels },
              spec: {
                restartPolicy: "Never",
                containers: [
                  {
                    name: "hello",
                    image: "busybox:1.33.1",
                    imagePullPolicy: "IfNotPresent",
                    command: ["echo", "hi"],
                  },
                ],
              },
            },
          },
        },
      },
    },
  ]);
  // Its result can therefore be cached, whatever happens in the cluster.
  expect(observed.asked).toEqual([]);
});

test("ScheduledEchoChart limits the name of a CronJob to 52 characters", () => {
  const [cronJob] = madeBy(scheduledEcho, {
    name: "x".repeat(60),
    spec: { message: "", schedule: "@daily" },
  });
  expect((cronJob as { metadata: { name: string } }).metadata.name).toMatch(/^x+-[0-9a-f]{8}$/);
  expect((cronJob as { metadata: { name: string } }).metadata.name.length).toBe(52);
});
