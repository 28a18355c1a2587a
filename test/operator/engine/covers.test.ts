import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { KubernetesObject } from "../../../crds/object.ts";
import { covers, findDrift } from "../../../operator/engine/covers.ts";
import { builtInShapeOf } from "../../../operator/engine/kind-shapes.ts";

/** A Deployment as a chart declares it, and as the server completes it. */
const desired = parse(`
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop, labels: { app: web } }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      nodeSelector: { disk: ssd }
      containers:
        - name: web
          image: web:1
          env:
            - { name: A, value: "1" }
            - { name: NODE, valueFrom: { fieldRef: { fieldPath: spec.nodeName } } }
          ports:
            - { containerPort: 80 }
            - { containerPort: 53, protocol: UDP }
          resources: { limits: { cpu: "0.5", memory: 1Gi } }
          volumeMounts: [{ name: tmp, mountPath: /tmp }]
          args: [--port, "80"]
      tolerations: [{ key: spot, operator: Exists }]
      volumes: [{ name: tmp, emptyDir: { sizeLimit: 1Gi } }]
`) as KubernetesObject;

const live = parse(`
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  uid: "1"
  resourceVersion: "7"
  labels: { app: web, team: blue }
  creationTimestamp: "2026-01-01T00:00:00Z"
spec:
  replicas: 2
  revisionHistoryLimit: 10
  strategy: { type: RollingUpdate }
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      nodeSelector: { disk: ssd }
      containers:
        - name: mesh
          image: mesh:1
        - name: web
          image: web:1
          imagePullPolicy: IfNotPresent
          env:
            - { name: INJECTED, value: x }
            - { name: A, value: "1" }
            - { name: NODE, valueFrom: { fieldRef: { fieldPath: spec.nodeName, apiVersion: v1 } } }
          ports:
            - { containerPort: 53, protocol: UDP }
            - { containerPort: 80, protocol: TCP }
          resources: { limits: { cpu: 500m, memory: "1073741824" } }
          volumeMounts: [{ name: tmp, mountPath: /tmp }]
          args: [--port, "80"]
          terminationMessagePath: /dev/termination-log
      tolerations: [{ key: spot, operator: Exists }]
      volumes: [{ name: tmp, emptyDir: { sizeLimit: 1Gi } }, { name: mesh, emptyDir: {} }]
      restartPolicy: Always
status: { replicas: 2 }
`) as KubernetesObject;

type Json = Record<string | number, unknown>;

/** A copy in which the value at a path is another one; `undefined` removes it. */
function edited(
  object: KubernetesObject,
  path: readonly (string | number)[],
  value: unknown,
): KubernetesObject {
  const copy = structuredClone(object);
  const parent = path.slice(0, -1).reduce<Json>((at, name) => at[name] as Json, copy as unknown as Json);
  const last = path.at(-1) ?? "";
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}

const podSpec = ["spec", "template", "spec"] as const;
const web = [...podSpec, "containers", 1] as const;

describe("findDrift()", () => {
  test("finds nothing if the server only set defaults and others only added fields", () => {
    expect(findDrift(desired, live, builtInShapeOf)).toBeUndefined();
  });

  test.for([
    { does: "an edited number", path: ["spec", "replicas"], value: 3, drift: "spec.replicas" },
    {
      does: "a removed label",
      path: ["metadata", "labels", "app"],
      value: undefined,
      drift: "metadata.labels.app",
    },
    {
      does: "an edited field of a list's item, by its key",
      path: [...web, "image"],
      value: "web:2",
      drift: "spec.template.spec.containers[web].image",
    },
    {
      does: "a quantity with another value",
      path: [...web, "resources", "limits", "cpu"],
      value: "50m",
      drift: "spec.template.spec.containers[web].resources.limits.cpu",
    },
    {
      does: "an item that is missing",
      path: [...web, "ports"],
      value: [{ containerPort: 80, protocol: "TCP" }],
      drift: "spec.template.spec.containers[web].ports[53/UDP]",
    },
    {
      does: "an edited item of an atomic list",
      path: [...web, "args"],
      value: ["--port", "81"],
      drift: "spec.template.spec.containers[web].args[1]",
    },
    {
      does: "an addition to an atomic list",
      path: [...web, "args"],
      value: ["--port", "80", "--debug"],
      drift: "spec.template.spec.containers[web].args",
    },
    {
      does: "an addition to an item of an atomic list",
      path: [...podSpec, "tolerations"],
      value: [{ key: "spot", operator: "Exists", effect: "NoExecute" }],
      drift: "spec.template.spec.tolerations[0].effect",
    },
    {
      does: "an addition to a map that has one owner",
      path: [...podSpec, "nodeSelector", "zone"],
      value: "a",
      drift: "spec.template.spec.nodeSelector.zone",
    },
    {
      does: "variables in another order, because one may refer to another",
      path: [...web, "env"],
      value: [
        { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
        { name: "A", value: "1" },
      ],
      drift: "spec.template.spec.containers[web].env[NODE]",
    },
    { does: "another version of the API", path: ["apiVersion"], value: "apps/v1beta1", drift: "apiVersion" },
    { does: "a value of another type", path: ["spec", "template"], value: [], drift: "spec.template" },
  ])("finds $does", ({ path, value, drift }) => {
    expect(findDrift(desired, edited(live, path, value), builtInShapeOf)).toBe(drift);
  });

  test.for([
    { what: "an empty map", path: ["metadata", "annotations"], value: {} },
    { what: "an empty list", path: [...podSpec, "imagePullSecrets"], value: [] },
    { what: "an empty text", path: [...podSpec, "hostname"], value: "" },
    { what: "null", path: [...podSpec, "affinity"], value: null },
    { what: "a zero that the server omits", path: ["spec", "minReadySeconds"], value: 0 },
    { what: "a false that the server omits", path: [...podSpec, "hostNetwork"], value: false },
  ])("treats $what as absent", ({ path, value }) => {
    expect(findDrift(edited(desired, path, value), live, builtInShapeOf)).toBeUndefined();
  });

  test.for([
    {
      what: "a false whose absence means true",
      path: [...podSpec, "automountServiceAccountToken"],
      value: false,
    },
    { what: "a zero that is significant", path: [...podSpec, "terminationGracePeriodSeconds"], value: 0 },
  ])("does not treat $what as absent", ({ path, value }) => {
    expect(covers(edited(desired, path, value), live, builtInShapeOf)).toBe(false);
  });
});

describe("covers() of long lists", () => {
  const pod = (spec: object, finalizers: readonly string[] = []): KubernetesObject => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "shop", finalizers },
    spec,
  });
  const names = Array.from({ length: 100_000 }, (_, index) => `example.com/n${index}`);

  // Searching the list for each item takes minutes, and the test runner ends it after 20 seconds.
  test("finds items in another order in linear time", () => {
    const volumes = names.map((name) => ({ name, emptyDir: {} }));
    const changed = volumes.with(7, { name: names[7] ?? "", emptyDir: { medium: "Memory" } as object });
    expect(covers(pod({ volumes }), pod({ volumes: volumes.toReversed() }), builtInShapeOf)).toBe(true);
    expect(
      findDrift(pod({ volumes: changed }), pod({ volumes: volumes.toReversed() }), builtInShapeOf),
    ).toContain("n7]");
    expect(covers(pod({}, names), pod({}, names.toReversed()), builtInShapeOf)).toBe(true);
    expect(covers(pod({}, names), pod({}, names.slice(1)), builtInShapeOf)).toBe(false);
  });

  test("uses the next of several items with equal keys", () => {
    const env = names.map((_, index) => ({ name: "A", value: String(index) }));
    const container = (items: readonly object[]) => pod({ containers: [{ name: "web", env: items }] });
    expect(covers(container(env), container(env), builtInShapeOf)).toBe(true);
    const between = env.flatMap((one) => [one, { name: "B", value: "b" }]);
    expect(covers(container(env), container(between), builtInShapeOf)).toBe(true);
  });
});
