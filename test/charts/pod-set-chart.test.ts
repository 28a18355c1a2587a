import { expect, test } from "vitest";
import { podSet } from "../../charts/bindings.ts";
import { madeBy, ourLabels } from "./made-by.ts";

test("PodSetChart creates one Deployment with exactly the original's fields", () => {
  const labels = ourLabels(podSet, "pods");
  const own = { app: "podSet", podSet_cr: "pods" };
  expect(madeBy(podSet, { name: "pods", spec: { size: 0 } })).toEqual([
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "pods", namespace: "shop", labels: { ...own, ...labels } },
      spec: {
        replicas: 0,
        selector: { matchLabels: own },
        template: {
          metadata: { labels: { ...own, ...labels } },
          spec: {
            containers: [
              {
                name: "podset",
                image: "busybox",
                command: ["sleep", "3600"],
                ports: [{ name: "podset", containerPort: 1234 }],
              },
            ],
          },
        },
      },
    },
  ]);
});
