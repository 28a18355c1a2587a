import { describe, expect, test } from "vitest";
import { easyService } from "../../charts/bindings.ts";
import { aResource } from "../fakes/resources.ts";
import { madeBy, ourLabels } from "./made-by.ts";

type Container = { readonly env?: object[]; readonly ports?: object[]; readonly resources?: object };
const made = (spec: object, name = "web") => {
  const [deployment, service] = madeBy(easyService, {
    name,
    spec: { size: 1, image: "nginx:1", ...spec },
  }) as [
    { metadata: object; spec: { template: { spec: { containers: [Container] } } } },
    { metadata: { name: string }; spec: { ports: object[] } }?,
  ];
  return { deployment, service, container: deployment.spec.template.spec.containers[0] };
};

describe("EasyServiceChart", () => {
  test("creates a Deployment and a Service with exactly the original's fields", () => {
    const labels = { app: "web", ...ourLabels(easyService, "web") };
    const envs = [{ name: "A", value: "1" }];
    const resources = { limits: { cpu: "0.5" } };
    const ports = [{ port: 80, targetPort: 8080, nodePort: 31002 }];
    expect(madeBy(easyService, { spec: { size: 2, image: "nginx:1.7.9", envs, resources, ports } })).toEqual([
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "web", namespace: "shop", labels },
        spec: {
          replicas: 2,
          selector: { matchLabels: { app: "web" } },
          template: {
            metadata: { labels },
            spec: {
              containers: [
                {
                  name: "web",
                  image: "nginx:1.7.9",
                  imagePullPolicy: "IfNotPresent",
                  resources,
                  env: envs,
                  ports: [{ containerPort: 8080 }],
                },
              ],
            },
          },
        },
      },
      {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "web", namespace: "shop", labels },
        spec: {
          type: "NodePort",
          ports: [{ port: 80, targetPort: 8080, nodePort: 31002, protocol: "TCP" }],
          selector: { app: "web" },
        },
      },
    ]);
  });

  test.for([{}, { ports: [] }])("creates no Service without ports (%j)", (spec) => {
    const { service, container } = made(spec);
    expect(service).toBeUndefined();
    expect(container.ports).toBeUndefined();
  });

  test("omits empty fields", () => {
    expect(Object.keys(made({ envs: [], resources: {} }).container).sort()).toEqual([
      "image",
      "imagePullPolicy",
      "name",
    ]);
  });

  test("keeps unknown fields of core types", () => {
    const envs = [{ name: "A", valueFrom: { fileKeyRef: { key: "a" } } }];
    const ports = [{ port: 80, appProtocol: "http", tomorrow: { a: [1] } }];
    const resources = { claims: [{ name: "gpu" }] };
    const { container, service } = made({ envs, ports, resources });
    expect(container).toMatchObject({ env: envs, resources });
    expect(service?.spec.ports).toEqual([{ ...ports[0], protocol: "TCP" }]);
  });

  test("uses the last of several variables with one name, and warns", () => {
    const envs = [
      { name: "A", value: "1" },
      { name: "B", value: "$(A)" },
      { name: "A", value: "2" },
    ];
    expect(made({ envs }).container.env).toEqual([envs[1], envs[2]]);
    const warnings = (list: object[]) =>
      easyService.warnings(aResource(easyService, { spec: { size: 1, image: "x", envs: list } }));
    expect(warnings(envs)).toEqual(['spec.envs sets "A" 2 times: the last one is used']);
    expect(warnings(envs.slice(1))).toEqual([]);
  });

  test.for(["1st", "a.b", "9", `w${"x".repeat(70)}`])("gives a Service a DNS-1035 name (%s)", (name) => {
    const { service, deployment } = made({ ports: [{ port: 80 }] }, name);
    expect(service?.metadata.name).toMatch(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/);
    expect(deployment.metadata).toMatchObject({ name });
  });

  test("refuses two Service ports with one number and protocol, and names the second", () => {
    const ports = [{ port: 53 }, { port: 53, protocol: "UDP" }, { port: 53, protocol: "TCP" }];
    expect(() => made({ ports })).toThrow(
      "spec.ports[2].port: port 53/TCP is there already, as spec.ports[0]",
    );
    expect(made({ ports: ports.slice(0, 2) }).service?.spec.ports).toHaveLength(2);
  });
});
