import { describe, expect, test } from "vitest";
import { runtime } from "../../charts/bindings.ts";
import type { KindContext } from "../../crds/kind-context.ts";
import { Runtime } from "../../crds/runtime.ts";
import { unstampManifest } from "../../synth/stamp.ts";
import { synthesize } from "../../synth/synthesize.ts";
import { observe } from "../fakes/observed.ts";
import { aRuntime, at, clockAt } from "../fakes/runtimes.ts";
import { ourLabels } from "./made-by.ts";

const labels = ourLabels(runtime, "web");
const metadata = { name: "web", namespace: "shop", labels };
const ready = { restarts: 0, readyAt: at(10), countedFrom: at(10) };

function made(spec: object = {}, { seconds = 20, record = ready as object } = {}): readonly object[] {
  const context = { record, clock: clockAt(seconds) } as KindContext;
  return synthesize(runtime, aRuntime(spec), observe(), context).manifests.map(unstampManifest);
}

const deploymentOf = (...args: Parameters<typeof made>) =>
  made(...args).find((object) => "kind" in object && object.kind === "Deployment");

test("by default a Runtime is deleted when its time to live has passed since it was ready, with a warning five minutes before", () => {
  expect(Runtime.spec.parse({ template: { image: "busybox" }, ttlSeconds: 60 })).toEqual({
    template: { image: "busybox" },
    ttlSeconds: 60,
    after: "ready",
    idleAnnotation: "fairlead.dev/last-activity",
    warnBeforeSeconds: 300,
    onExpiry: "delete",
  });
});

describe("RuntimeChart", () => {
  test("creates a Deployment of one pod, which is replaced and never doubled", () => {
    expect(made()).toEqual([
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata,
        spec: {
          replicas: 1,
          selector: { matchLabels: labels },
          strategy: { type: "Recreate" },
          template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "busybox" }] } },
        },
      },
    ]);
  });

  test("creates a Service for its ports and a claim for its storage", () => {
    const template = {
      image: "busybox",
      command: ["sh"],
      args: ["-c", "true"],
      env: [
        { name: "A", value: "1" },
        { name: "A", value: "2" },
      ],
      ports: [{ port: 80, targetPort: 8080 }],
      resources: { limits: { cpu: "1" } },
    };
    const storage = { size: "1Gi", mountPath: "/data", storageClassName: "fast" };
    const objects = made({ template, storage });
    expect(objects).toContainEqual({
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: { ports: [{ port: 80, targetPort: 8080, protocol: "TCP" }], selector: labels },
    });
    expect(objects).toContainEqual({
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata,
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
        storageClassName: "fast",
      },
    });
    expect(objects).toHaveLength(3);
    expect(deploymentOf({ template, storage })).toMatchObject({
      spec: {
        template: {
          spec: {
            containers: [
              {
                command: ["sh"],
                args: ["-c", "true"],
                env: [{ name: "A", value: "2" }],
                ports: [{ containerPort: 8080 }],
                resources: { limits: { cpu: "1" } },
                volumeMounts: [{ name: "data", mountPath: "/data" }],
              },
            ],
            volumes: [{ name: "data", persistentVolumeClaim: { claimName: "web" } }],
          },
        },
      },
    });
  });

  test.for([
    { seconds: 69, replicas: 1 },
    { seconds: 70, replicas: 0 },
  ])("has $replicas pods $seconds s later, and keeps the claim", ({ seconds, replicas }) => {
    const storage = { size: "1Gi", mountPath: "/data" };
    const spec = { onExpiry: "stop", storage };
    expect(deploymentOf(spec, { seconds })).toMatchObject({ spec: { replicas } });
    expect(made(spec, { seconds })).toHaveLength(2);
  });

  test("starts a new pod for a restart on request, with its full time", () => {
    const record = { restarts: 1, restartedAt: "b" };
    const annotations = { "fairlead.dev/restarted-at": "b" };
    expect(deploymentOf({ onExpiry: "stop" }, { seconds: 99, record })).toMatchObject({
      spec: { replicas: 1, template: { metadata: { annotations } } },
    });
  });

  test("refuses a time above its limit, also without an API server", () => {
    expect(() => made({ maxTtlSeconds: 59 })).toThrow(
      "spec.ttlSeconds: must not be more than spec.maxTtlSeconds",
    );
    expect(made({ maxTtlSeconds: 60 })).toHaveLength(1);
  });
});
