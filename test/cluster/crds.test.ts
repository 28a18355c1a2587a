import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { customResourceDefinitionOf } from "../../crds/custom-resource-definition.ts";
import { EasyService } from "../../crds/easy-service.ts";
import { Echo } from "../../crds/echo.ts";
import { defineKind } from "../../crds/kind.ts";
import { Memcached } from "../../crds/memcached.ts";
import { apiVersionOf } from "../../crds/object.ts";
import { PodSet } from "../../crds/pod-set.ts";
import { Podbuggertool } from "../../crds/podbuggertool.ts";
import { Runtime } from "../../crds/runtime.ts";
import { ScheduledEcho } from "../../crds/scheduled-echo.ts";
import { anyCron } from "../crds/any-cron.ts";
import { schedules } from "../crds/schedules.ts";
import { aNamespace, applyObjects, eventually, kubectl, kubectlJson } from "./fixture.ts";
import type { KubectlError } from "./kubectl.ts";

const kinds = { Echo, ScheduledEcho, Memcached, EasyService, PodSet, Runtime, Podbuggertool };
type KindName = keyof typeof kinds;

let namespace: string;
let removeNamespace: (() => Promise<void>) | undefined;
afterAll(() => removeNamespace?.());

beforeAll(async () => {
  namespace = await aNamespace({
    prefix: "crds",
    onEnd: (remove) => {
      removeNamespace = remove;
    },
  });
  const definitions = Object.values(kinds).map(customResourceDefinitionOf);
  await applyObjects(...definitions);
  const names = definitions.map(({ metadata }) => `crd/${metadata.name}`);
  await kubectl(["wait", "--for=condition=Established", "--timeout=180s", ...names]);
});

function aResource(kind: KindName, spec: object | undefined, name = "hello") {
  return {
    apiVersion: apiVersionOf(kinds[kind]),
    kind,
    metadata: { name, namespace },
    ...(spec && { spec }),
  };
}

/** Creates an object in a dry run, without kubectl's validation of unknown fields. Returns it as it would be stored. */
function tryToCreate(object: object) {
  return kubectlJson<{ spec: object }>("create --dry-run=server --validate=ignore -f -", { input: object });
}

describe.for(Object.values(kinds))("the CRD of $kind", ({ plural, group, kind, description }) => {
  test("is served, and its schema is structural", async () => {
    const crd = await kubectlJson<{ status: { conditions: { type: string; status: string }[] } }>(
      `get crd ${plural}.${group}`,
    );
    const conditions = Object.fromEntries(crd.status.conditions.map(({ type, status }) => [type, status]));
    expect(conditions).toEqual({ NamesAccepted: "True", Established: "True" });
  });

  test("has a description for kubectl explain", async () => {
    const text = await eventually(() => kubectl(`explain ${plural}.${group}`), {
      what: "the API server publishes the schema",
    });
    expect(text).toContain(`KIND:       ${kind}`);
    expect(text.replaceAll(/\s+/g, " ")).toContain(description);
    expect(await kubectl(`explain ${plural}.${group}.status.published`)).toContain("Id of the git tree");
  });
});

test("kubectl get shows the important columns of a kind, then READY, STATUS and AGE", async () => {
  await kubectl("create -f -", { input: aResource("Echo", { message: "Hola, 世界!" }, "columns") });
  const table = await eventually(() => kubectl(["get", "ec", "columns", "-n", namespace]), {
    what: "short names work",
  });
  const [header, row] = table.split("\n");
  expect(header?.split(/\s{2,}/)).toEqual(["NAME", "MESSAGE", "READY", "STATUS", "AGE"]);
  expect(row).toContain("Hola, 世界!");
  expect(await kubectl(["get", "sec", "-n", namespace, "-o", "name"])).toBe("");
});

test.for<{ what: string; kind: KindName; spec?: object; field: string }>([
  { what: "an Echo without spec", kind: "Echo", field: "spec" },
  { what: "an Echo without message", kind: "Echo", spec: {}, field: "spec.message" },
  {
    what: "a ScheduledEcho without schedule",
    kind: "ScheduledEcho",
    spec: { message: "m" },
    field: "spec.schedule",
  },
  {
    what: "a ScheduledEcho without message",
    kind: "ScheduledEcho",
    spec: { schedule: "* * * * *" },
    field: "spec.message",
  },
  {
    what: "a ScheduledEcho with a bad schedule",
    kind: "ScheduledEcho",
    spec: { message: "m", schedule: "every day" },
    field: "must be five fields",
  },
  { what: "a Memcached without size", kind: "Memcached", spec: {}, field: "spec.size" },
  { what: "a Memcached of size -1", kind: "Memcached", spec: { size: -1 }, field: "spec.size" },
  { what: "a Memcached of more than int32", kind: "Memcached", spec: { size: 2 ** 31 }, field: "spec.size" },
  { what: "an EasyService without image", kind: "EasyService", spec: { size: 1 }, field: "spec.image" },
  { what: "an EasyService without size", kind: "EasyService", spec: { image: "nginx" }, field: "spec.size" },
  {
    what: "an EasyService whose port has no number",
    kind: "EasyService",
    spec: { size: 1, image: "nginx", ports: [{ name: "web" }] },
    field: "spec.ports[0].port",
  },
  {
    what: "an EasyService with an invalid quantity",
    kind: "EasyService",
    spec: { size: 1, image: "nginx", resources: { limits: { cpu: "much" } } },
    field: "spec.resources.limits.cpu",
  },
  { what: "a PodSet without size", kind: "PodSet", spec: {}, field: "spec.size" },
  ...["image", "label"].map((field) => ({
    what: `a Podbuggertool without ${field}`,
    kind: "Podbuggertool" as const,
    spec: { label: "app=payment", image: "busybox", [field]: undefined },
    field: `spec.${field}`,
  })),
  ...["app", "=payment", "app=pay ment", "app=a=b"].map((label) => ({
    what: `a Podbuggertool whose label is ${label}`,
    kind: "Podbuggertool" as const,
    spec: { label, image: "busybox" },
    field: "must be key=value, such as app=payment",
  })),
])("the API server refuses $what", async ({ kind, spec, field }) => {
  const refusal = await tryToCreate(aResource(kind, spec)).catch(String);
  expect(refusal).toContain(`The ${kind} "hello" is invalid`);
  expect(refusal).toContain(field);
});

test("unknown fields of embedded core types are kept, others are pruned", async () => {
  const spec = {
    size: 2,
    image: "nginx:1.7.9",
    resources: { limits: { cpu: "0.5", memory: 1024 }, requests: {}, claims: [{ name: "gpu" }] },
    envs: [
      { name: "A", value: "1", fresh: { deep: true } },
      { name: "B", valueFrom: { fileKeyRef: { path: "p", key: "k" } } },
      { name: "A", value: "2" },
    ],
    ports: [
      { port: 80, targetPort: "web", nodePort: 31002, protocol: "TCP", fresh: "kept" },
      { port: 81, targetPort: 81 },
    ],
  };
  const stored = await tryToCreate(aResource("EasyService", { ...spec, surprise: { a: 1 } }));
  const [first, second] = spec.ports;
  expect(stored.spec).toEqual({ ...spec, ports: [first, { ...second, protocol: "TCP" }] });
});

test("a discriminated union is one object, with rules for each of its variants", async () => {
  const source = z.discriminatedUnion("type", [
    z.object({ type: z.literal("git"), url: z.string(), "sub-path": z.string().default("./") }),
    z.object({ type: z.literal("inline"), in: z.string() }),
  ]);
  const versions = [{ name: "v1", spec: z.object({ source }) }] as const;
  onTestFinished(async () => {
    await kubectl("delete crd unions.union.example.dev --wait=false");
  });
  const names = { group: "union.example.dev", kind: "Union", plural: "unions", description: "A test." };
  await applyObjects(customResourceDefinitionOf(defineKind({ ...names, versions })));
  await kubectl("wait --for=condition=Established --timeout=180s crd/unions.union.example.dev");
  const attempt = (value: object) => {
    const metadata = { name: "union", namespace };
    const input = { apiVersion: "union.example.dev/v1", kind: "Union", metadata, spec: { source: value } };
    return kubectl("create --dry-run=server -o name -f -", { input }).catch(String);
  };
  const created = "union.union.example.dev/union\n";
  await eventually(async () => (await attempt({ type: "git", url: "u" })) === created, {
    what: "the kind is served",
  });
  expect(await attempt({ type: "inline", in: "text" })).toBe(created);
  expect(await attempt({ type: "git" })).toContain("url is required for type git");
  expect(await attempt({ type: "inline", in: "text", url: "u" })).toContain("url is only for type git");
  expect(await attempt({ type: "inline", in: "text", "sub-path": "p" })).toContain(
    "sub-path is only for type git",
  );
});

test("the scale subresource of an EasyService sets its size", async () => {
  await kubectl("create -f -", { input: aResource("EasyService", { size: 1, image: "nginx" }, "scaled") });
  await kubectl(["scale", "easyservice", "scaled", "-n", namespace, "--replicas=3"]);
  const scaled = await kubectlJson(["get", "easyservice", "scaled", "-n", namespace]);
  expect(scaled).toMatchObject({ spec: { size: 3 } });
});

test.for<{ kind: KindName }>([{ kind: "Memcached" }, { kind: "PodSet" }])(
  "every status of a $kind has nodes",
  async ({ kind }) => {
    await kubectl("create -f -", { input: aResource(kind, { size: 0 }, "nodes") });
    const patch = (status: object) =>
      kubectl([
        ...["patch", kinds[kind].plural, "nodes", "-n", namespace, "--subresource=status", "--type=merge"],
        ...["-p", JSON.stringify({ status })],
      ]);
    await expect(patch({ observedGeneration: 1 })).rejects.toThrow("status.nodes");
    await patch({ observedGeneration: 1, nodes: [] });
  },
);

describe("the schedule of a ScheduledEcho", () => {
  const aCronJob = (schedule: string, name: string) => {
    const pod = { restartPolicy: "Never", containers: [{ name: "echo", image: "busybox" }] };
    const spec = { schedule, jobTemplate: { spec: { template: { spec: pod } } } };
    return { apiVersion: "batch/v1", kind: "CronJob", metadata: { name, namespace }, spec };
  };
  const aScheduledEcho = (schedule: string, name: string) =>
    aResource("ScheduledEcho", { message: "m", schedule }, name);

  /** The schedules that the API server accepts in a dry run. */
  async function accepted(
    make: (schedule: string, name: string) => object,
    tried: readonly string[],
  ): Promise<readonly string[]> {
    const input = tried.map((schedule, index) => make(schedule, `try-${index}`));
    const refused = await kubectl("create --dry-run=server -f -", { input }).then(
      () => "",
      (error: KubectlError) => error.message,
    );
    return tried.filter((_, index) => !refused.includes(`"try-${index}" is invalid`));
  }

  test("accepts and refuses what a CronJob accepts and refuses", async () => {
    const tried = [...schedules.accepted, ...schedules.refused, ...schedules.backwards];
    expect(await accepted(aCronJob, tried)).toEqual(schedules.accepted);
    expect(await accepted(aScheduledEcho, tried)).toEqual(schedules.accepted);
  });

  test("is validated as a CronJob's schedule, for any text", async () => {
    const many = fc.array(anyCron, { minLength: 150, maxLength: 150 });
    const property = fc.asyncProperty(many, async (tried) => {
      const both = await Promise.all([accepted(aCronJob, tried), accepted(aScheduledEcho, tried)]);
      expect(both[1]).toEqual(both[0]);
    });
    // Shrinking would send hundreds of requests to the server, and the difference is sufficient.
    await fc.assert(property, { numRuns: 5, endOnFailure: true });
  });
});
