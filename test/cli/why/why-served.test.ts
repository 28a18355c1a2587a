import { describe, expect, test } from "vitest";
import { exitCodeOf } from "../../../cli/why/why-report.ts";
import { whyServed } from "../../../cli/why/why-served.ts";
import type { KubernetesObject } from "../../../crds/object.ts";
import { condition } from "../release/a-release.ts";
import { aGreeting, aSession, discovery, someCommands } from "./a-session.ts";

const deployments = "/apis/apps/v1/namespaces/shop/deployments";
const kind = {
  ...{ group: "example.dev", version: "v1", kind: "Greeting", plural: "greetings" },
  namespaced: true,
};
const ready = {
  observedGeneration: 1,
  conditions: [condition("Ready", "True"), condition("Applied", "True"), condition("Healthy", "True")],
};
const aDeployment = (more: object = {}, metadata: object = {}): KubernetesObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop", uid: "d", resourceVersion: "1", generation: 1, ...metadata },
  ...{ spec: { replicas: 1 }, ...more },
});
const available = {
  status: {
    ...{ observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1, readyReplicas: 1 },
    conditions: [{ type: "Available", status: "True" }],
  },
};
type Refusals = NonNullable<Parameters<typeof aSession>[1]>;
const explain = (
  status: object | undefined,
  { there = [] as KubernetesObject[], ...refused }: Refusals & { there?: KubernetesObject[] } = {},
) => {
  const objects = there.map((object) => [`${deployments}/${object.metadata.name}`, object]);
  const session = aSession({ ...discovery, ...Object.fromEntries(objects) }, refused);
  return whyServed(aGreeting(status) as never, { session, kind, commands: someCommands, nowMs: 0 });
};

describe("a resource of a kind that another program serves", () => {
  test("is explained from its conditions, with the unknown facts", async () => {
    const report = await explain(
      {
        ...ready,
        conditions: [condition("Applied", "False", { reason: "ApplyFailed", message: "forbidden" })],
      },
      { there: [aDeployment(available)] },
    );
    expect(report.title).toBe("Greeting shop/hello is new");
    expect(report.waits).toMatchObject([{ on: "ApplyFailed", message: "forbidden" }]);
    expect(report.unknown).toEqual([
      "Desired objects: another program has the chart of Greeting; 1 object with the label of its set: Deployment shop/web",
    ]);
    expect(report.next).toContain(
      "kubectl describe greetings.example.dev hello -n shop --kubeconfig=/tmp/kube   # shows its events",
    );
    expect(exitCodeOf(report)).toBe(1);
  });

  test("exits with 2 if there is no wait, because its chart is unknown", async () => {
    const report = await explain(ready, { there: [aDeployment(available)] });
    expect(report.waits).toEqual([]);
    expect(exitCodeOf(report)).toBe(2);
  });

  test.for([
    { object: "that is not ready", of: aDeployment(), says: { on: "Progressing" } },
    {
      object: "that is being deleted",
      of: aDeployment(available, { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["x"] }),
      says: { on: "Deleting", message: expect.stringContaining("blocked by the finalizers (x)") },
    },
  ])("waits for an object $object", async ({ of, says }) => {
    const { waits } = await explain(ready, { there: [of] });
    expect(waits).toMatchObject([says]);
    expect(waits[0]?.message).toMatch(/^Deployment shop\/web: /);
  });

  test("does not repeat an object that a condition names", async () => {
    const message = "Deployment shop/web: 0 of 1 pods are ready";
    const conditions = [condition("Healthy", "False", { reason: "Progressing", message })];
    const { waits } = await explain({ ...ready, conditions }, { there: [aDeployment()] });
    expect(waits).toMatchObject([{ message }]);
  });

  test("counts the kinds that the user may not list", async () => {
    const { unknown } = await explain(ready, { forbidden: [deployments] });
    expect(unknown.at(-1)).toBe("Objects of 1 kinds: you may not list them");
  });

  test("ignores a kind whose definition was deleted since the kinds were read", async () => {
    const { unknown } = await explain(ready, { unserved: [deployments] });
    expect(unknown).toEqual([
      "Desired objects: another program has the chart of Greeting; no object has the label of its set",
    ]);
  });

  test("reports that nothing shows that Fairlead reconciles it", async () => {
    const { unknown } = await explain({ conditions: [condition("Ready", "True")], observedGeneration: 1 });
    expect(unknown[0]).toContain("so Fairlead may not reconcile it");
  });
});
