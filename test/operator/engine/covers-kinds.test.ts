import { describe, expect, test } from "vitest";
import { pipeline } from "../../../charts/bindings-delivery.ts";
import { findDrift } from "../../../operator/engine/covers.ts";
import { createShapeOf } from "../../../operator/engine/declared-shapes.ts";

interface Pair {
  readonly does: string;
  readonly kind: string;
  readonly desired: object;
  readonly live: object;
  readonly drift?: string;
}

const pairs: readonly Pair[] = [
  {
    does: "compares a Service's ports by port and protocol",
    kind: "v1/Service",
    desired: { spec: { ports: [{ port: 80, targetPort: "http" }] } },
    live: {
      spec: {
        ports: [
          { port: 53, protocol: "UDP" },
          { port: 80, protocol: "TCP", targetPort: "http", nodePort: 30001 },
        ],
      },
    },
  },
  {
    does: "distinguishes a port's number from its name",
    kind: "v1/Service",
    desired: { spec: { ports: [{ port: 80, targetPort: "8080" }] } },
    live: { spec: { ports: [{ port: 80, protocol: "TCP", targetPort: 8080 }] } },
    drift: "spec.ports[80/TCP].targetPort",
  },
  {
    does: "finds a label that another manager added to a Service's selector",
    kind: "v1/Service",
    desired: { spec: { selector: { app: "web" } } },
    live: { spec: { selector: { app: "web", canary: "yes" } } },
    drift: "spec.selector.canary",
  },
  {
    does: "compares finalizers as a set",
    kind: "v1/ConfigMap",
    desired: { metadata: { name: "web", finalizers: ["a", "b"] } },
    live: { metadata: { name: "web", finalizers: ["b", "other", "a"] } },
  },
  {
    does: "finds a removed finalizer",
    kind: "v1/ConfigMap",
    desired: { metadata: { name: "web", finalizers: ["a"] } },
    live: { metadata: { name: "web", finalizers: ["b"] } },
    drift: "metadata.finalizers[a]",
  },
  {
    does: "finds our owner reference by its uid among others",
    kind: "v1/ConfigMap",
    desired: { metadata: { name: "web", ownerReferences: [{ uid: "1", kind: "Echo", controller: true }] } },
    live: {
      metadata: {
        name: "web",
        ownerReferences: [
          { uid: "0", kind: "Other" },
          { uid: "1", kind: "Echo", controller: true },
        ],
      },
    },
  },
  {
    does: "finds an addition of another manager to our owner reference, which has one owner",
    kind: "v1/ConfigMap",
    desired: { metadata: { name: "web", ownerReferences: [{ uid: "1", kind: "Echo" }] } },
    live: { metadata: { name: "web", ownerReferences: [{ uid: "1", kind: "Echo", controller: true }] } },
    drift: "metadata.ownerReferences[1].controller",
  },
  {
    does: "finds an edited key of a ConfigMap and ignores added ones",
    kind: "v1/ConfigMap",
    desired: { data: { "a.yaml": "1", b: "2" } },
    live: { data: { "a.yaml": "1", b: "3", c: "4" } },
    drift: "data.b",
  },
  {
    does: "finds a Secret's stringData in its data",
    kind: "v1/Secret",
    desired: { stringData: { user: "anna" } },
    live: { data: { user: "YW5uYQ==" }, type: "Opaque" },
  },
  {
    does: "finds a Secret's stringData changed in its data",
    kind: "v1/Secret",
    desired: { stringData: { user: "anna" } },
    live: { data: { user: "b3R0bw==" }, type: "Opaque" },
    drift: "data.user",
  },
  {
    does: "ignores defaults that the server fills in inside an atomic list",
    kind: "networking.k8s.io/v1/NetworkPolicy",
    desired: { spec: { ingress: [{ ports: [{ port: 80 }] }] } },
    live: { spec: { ingress: [{ ports: [{ port: 80, protocol: "TCP" }] }] } },
  },
  {
    does: "finds an addition of another manager inside an atomic list",
    kind: "networking.k8s.io/v1/NetworkPolicy",
    desired: { spec: { ingress: [{ ports: [{ port: 80 }] }] } },
    live: { spec: { ingress: [{ ports: [{ port: 80, protocol: "UDP" }] }] } },
    drift: "spec.ingress[0].ports[0].protocol",
  },
  {
    does: "finds a label that another manager added inside an atomic struct",
    kind: "networking.k8s.io/v1/NetworkPolicy",
    desired: { spec: { podSelector: { matchLabels: { app: "web" } } } },
    live: { spec: { podSelector: { matchLabels: { app: "web", canary: "yes" } } } },
    drift: "spec.podSelector.matchLabels.canary",
  },
  {
    does: "ignores a default inside a struct of an atomic list, and finds another value of it",
    kind: "admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy",
    desired: {
      spec: { matchConstraints: { resourceRules: [{ resources: ["pods"] }, { resources: ["jobs"] }] } },
    },
    live: {
      spec: {
        matchConstraints: {
          matchPolicy: "Equivalent",
          namespaceSelector: {},
          resourceRules: [
            { resources: ["pods"], scope: "*" },
            { resources: ["jobs"], scope: "Namespaced" },
          ],
        },
      },
    },
    drift: "spec.matchConstraints.resourceRules[1].scope",
  },
  {
    does: "compares the requests of a claim as quantities",
    kind: "apps/v1/StatefulSet",
    desired: {
      spec: {
        volumeClaimTemplates: [
          { metadata: { name: "d" }, spec: { resources: { requests: { storage: "1024Mi" } } } },
        ],
      },
    },
    live: {
      spec: {
        volumeClaimTemplates: [
          {
            apiVersion: "v1",
            kind: "PersistentVolumeClaim",
            metadata: { name: "d", creationTimestamp: null },
            spec: { resources: { requests: { storage: "1Gi" } }, volumeMode: "Filesystem" },
            status: { phase: "Pending" },
          },
        ],
      },
    },
  },
  {
    does: "compares the pods of a CronJob",
    kind: "batch/v1/CronJob",
    desired: {
      spec: { jobTemplate: { spec: { template: { spec: { containers: [{ name: "a", image: "a:1" }] } } } } },
    },
    live: {
      spec: {
        jobTemplate: {
          spec: { template: { spec: { containers: [{ name: "b" }, { name: "a", image: "a:2" }] } } },
        },
      },
    },
    drift: "spec.jobTemplate.spec.template.spec.containers[a].image",
  },
  {
    does: "fills in the group of a subject",
    kind: "rbac.authorization.k8s.io/v1/RoleBinding",
    desired: { subjects: [{ kind: "User", name: "anna" }] },
    live: { subjects: [{ kind: "User", name: "anna", apiGroup: "rbac.authorization.k8s.io" }] },
  },
  {
    does: "ignores the defaults of a Pipeline's stages",
    kind: "fairlead.dev/v1alpha1/Pipeline",
    desired: { spec: { stages: [{ name: "dev", pass: { verify: [{ name: "e2e" }] } }, { name: "prod" }] } },
    live: {
      spec: {
        stages: [
          {
            name: "dev",
            onFailure: "Hold",
            releases: [],
            pass: { verify: [{ name: "e2e", timeout: "1m" }] },
          },
          { name: "prod", onFailure: "Hold", releases: [] },
        ],
      },
    },
  },
  {
    does: "ignores a stage that another manager added to a Pipeline",
    kind: "fairlead.dev/v1alpha1/Pipeline",
    desired: { spec: { stages: [{ name: "dev" }, { name: "prod" }] } },
    live: { spec: { stages: [{ name: "dev" }, { name: "staging" }, { name: "prod" }] } },
  },
  {
    does: "finds another order of a Pipeline's stages",
    kind: "fairlead.dev/v1alpha1/Pipeline",
    desired: { spec: { stages: [{ name: "dev" }, { name: "prod" }] } },
    live: { spec: { stages: [{ name: "prod" }, { name: "dev" }] } },
    drift: "spec.stages[prod]",
  },
  {
    does: "finds a Release that was added to a Pipeline's stage",
    kind: "fairlead.dev/v1alpha1/Pipeline",
    desired: { spec: { stages: [{ name: "dev", releases: [{ name: "a" }] }] } },
    live: { spec: { stages: [{ name: "dev", releases: [{ name: "a" }, { name: "b" }] }] } },
    drift: "spec.stages[dev].releases",
  },
  {
    does: "compares lists of unknown kinds as a whole",
    kind: "example.dev/v1/Widget",
    desired: { spec: { parts: [{ name: "a" }] } },
    live: { spec: { parts: [{ name: "b" }, { name: "a" }] } },
    drift: "spec.parts",
  },
  {
    does: "accepts additions of others to maps of unknown kinds",
    kind: "example.dev/v1/Widget",
    desired: { spec: { part: { name: "a" } } },
    live: { spec: { part: { name: "a", colour: "red" }, size: 1 } },
  },
];

describe("findDrift(), kind by kind,", () => {
  const shapeOf = createShapeOf([pipeline]);
  test.for(pairs)("$does", ({ kind, desired: wanted, live: found, drift }) => {
    const at = kind.lastIndexOf("/");
    const head = { apiVersion: kind.slice(0, at), kind: kind.slice(at + 1), metadata: { name: "web" } };
    expect(findDrift({ ...head, ...wanted }, { ...head, ...found }, shapeOf)).toBe(drift);
  });
});
