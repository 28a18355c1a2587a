import { describe, expect, test } from "vitest";
import { memcached } from "../../charts/bindings.ts";
import { madeBy, ourLabels } from "./made-by.ts";

describe("MemcachedChart", () => {
  test("creates one Deployment with exactly the original's fields, and a separate selector", () => {
    const labels = ourLabels(memcached, "cache");
    expect(madeBy(memcached, { name: "cache", spec: { size: 3 } })).toEqual([
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "cache-deployment", namespace: "shop", labels },
        spec: {
          replicas: 3,
          selector: { matchLabels: { app: "memcached", "app.kubernetes.io/instance": "cache" } },
          template: {
            metadata: { labels: { app: "memcached", ...labels } },
            spec: {
              containers: [
                {
                  name: "memcached",
                  image: "memcached:1.6.6",
                  ports: [{ name: "memcached", containerPort: 11211 }],
                  resources: { requests: { cpu: "100m", memory: "128Mi" } },
                  livenessProbe: { tcpSocket: { port: 11211 }, initialDelaySeconds: 30, periodSeconds: 10 },
                },
              ],
            },
          },
        },
      },
    ]);
  });

  test.for(["a", "a.b", "x".repeat(250)])("selects exactly the pods of its template (%s)", (name) => {
    const [deployment] = madeBy(memcached, { name, spec: { size: 0 } }) as [
      {
        metadata: { name: string };
        spec: { selector: { matchLabels: object }; template: { metadata: { labels: object } } };
      },
    ];
    const { selector, template } = deployment.spec;
    expect(template.metadata.labels).toMatchObject(selector.matchLabels);
    for (const value of Object.values(selector.matchLabels)) expect(value).toMatch(/^[\w.-]{1,63}$/);
    expect(deployment.metadata.name.length).toBeLessThanOrEqual(253);
  });
});
