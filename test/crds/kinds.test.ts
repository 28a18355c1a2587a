import { describe, expect, test } from "vitest";
import { customResourceDefinitionOf } from "../../crds/custom-resource-definition.ts";
import { EasyService } from "../../crds/easy-service.ts";
import { Echo } from "../../crds/echo.ts";
import { Memcached } from "../../crds/memcached.ts";
import { PodSet } from "../../crds/pod-set.ts";
import { Podbuggertool } from "../../crds/podbuggertool.ts";
import { Runtime } from "../../crds/runtime.ts";
import { ScheduledEcho } from "../../crds/scheduled-echo.ts";
import type { StructuralSchema } from "../../crds/structural-schema.ts";

const engineStatus = {
  conditions: "array",
  observedGeneration: "integer",
  appliedGeneration: "integer",
  published: "object",
};
const size = { size: "integer" };

/** Names and fields of the original operators' kinds; users' resources depend on them. */
describe.for([
  {
    definition: Echo,
    is: { apiVersion: "mmontes.io/v1alpha1", kind: "Echo", plural: "echos", shortNames: ["ec"] },
    spec: { message: "string" },
    required: ["message"],
    status: { startTime: "string", completionTime: "string" },
  },
  {
    definition: ScheduledEcho,
    is: {
      apiVersion: "mmontes.io/v1alpha1",
      kind: "ScheduledEcho",
      plural: "scheduledechos",
      shortNames: ["sec"],
    },
    spec: { message: "string", schedule: "string" },
    required: ["message", "schedule"],
    status: { lastScheduleTime: "string", active: "array" },
  },
  {
    definition: Memcached,
    is: { apiVersion: "cache.example.com/v1", kind: "Memcached", plural: "memcacheds", shortNames: [] },
    spec: size,
    required: ["size"],
    status: { nodes: "array" },
  },
  {
    definition: EasyService,
    is: { apiVersion: "app.kubebuilder.io/v1", kind: "EasyService", plural: "easyservices", shortNames: [] },
    spec: { ...size, image: "string", resources: "object", envs: "array", ports: "array" },
    required: ["size", "image"],
    status: {
      replicas: "integer",
      updatedReplicas: "integer",
      readyReplicas: "integer",
      availableReplicas: "integer",
      unavailableReplicas: "integer",
      collisionCount: "integer",
    },
  },
  {
    definition: PodSet,
    is: { apiVersion: "apps.jicki.cn/v1alpha1", kind: "PodSet", plural: "podsets", shortNames: [] },
    spec: size,
    required: ["size"],
    status: { nodes: "array" },
  },
  {
    definition: Podbuggertool,
    is: {
      apiVersion: "ualter.com/v1beta1",
      kind: "Podbuggertool",
      plural: "podbuggertools",
      shortNames: ["pbt"],
    },
    spec: { label: "string", image: "string" },
    required: ["label", "image"],
    status: { installed: "integer" },
  },
  {
    // A kind without an original: it has names of its own.
    definition: Runtime,
    is: { apiVersion: "fairlead.dev/v1alpha1", kind: "Runtime", plural: "runtimes", shortNames: ["rt"] },
    spec: {
      template: "object",
      storage: "object",
      ttlSeconds: "integer",
      after: "string",
      idleAnnotation: "string",
      maxTtlSeconds: "integer",
      warnBeforeSeconds: "integer",
      onExpiry: "string",
    },
    required: ["template", "ttlSeconds"],
    status: {
      phase: "string",
      address: "string",
      expiresAt: "string",
      readyAt: "string",
      countedFrom: "string",
      restartedAt: "string",
      restarts: "integer",
    },
  },
])("$is.kind", ({ definition, is, spec, required, status }) => {
  const [version] = customResourceDefinitionOf(definition).spec.versions;
  const schema = version?.schema.openAPIV3Schema.properties ?? {};
  const typesOf = ({ properties = {} }: StructuralSchema = {}) =>
    Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, type]));

  test("has the names of the original", () => {
    const { group, kind, plural, shortNames, singular } = definition;
    expect({ apiVersion: `${group}/${definition.version}`, kind, plural, shortNames }).toEqual(is);
    expect(singular).toBe(kind.toLowerCase());
    expect(definition.namespaced).toBe(true);
  });

  test("has the fields of the original, and the engine's status", () => {
    expect(typesOf(schema["spec"])).toEqual(spec);
    expect(schema["spec"]?.required).toEqual(required);
    expect(typesOf(schema["status"])).toEqual({ ...engineStatus, ...status });
    expect(schema["status"]?.required ?? []).toEqual(
      Object.keys(status).filter((field) => ["installed", "nodes", "phase"].includes(field)),
    );
  });

  test("describes every field", () => {
    const silent = (field: StructuralSchema, path: string): string[] => [
      ...(field.description === undefined ? [path] : []),
      ...Object.entries(field.properties ?? {}).flatMap(([name, child]) => silent(child, `${path}.${name}`)),
      ...Object.entries(field.items?.properties ?? {}).flatMap(([name, child]) =>
        silent(child, `${path}[].${name}`),
      ),
    ];
    expect(["spec", "status"].flatMap((name) => silent(schema[name] ?? {}, name))).toEqual([]);
  });
});
