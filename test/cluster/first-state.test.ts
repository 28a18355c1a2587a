import { expect, onTestFinished, test } from "vitest";
import { kinds } from "../../charts/bindings.ts";
import { EasyService } from "../../crds/easy-service.ts";
import { Memcached } from "../../crds/memcached.ts";
import { apiVersionOf, groupKindOf, type KubernetesObject } from "../../crds/object.ts";
import { PodSet } from "../../crds/pod-set.ts";
import { keepOperatorRequests } from "./audit-log.ts";
import { applyObjects, eventually, kubectl, readObject, secondCluster, testCluster } from "./fixture.ts";
import {
  aHarness,
  applyResource,
  conditionOf,
  type SeenResource,
  untilCondition,
  untilEvents,
  untilReady,
} from "./harness.ts";
import { install } from "./install.ts";
import { kubectlFor } from "./kubectl.ts";
import { someResources } from "./manual-edits.ts";
import { startOperator } from "./operator.ts";

const podTemplate = {
  metadata: { labels: { app: "theirs" } },
  spec: { containers: [{ name: "theirs", image: "example.dev/theirs:1" }] },
};
const jobTemplate = { spec: { ...podTemplate.spec, restartPolicy: "Never" } };
const deployment = { replicas: 1, selector: { matchLabels: { app: "theirs" } }, template: podTemplate };

/** Objects of another owner with the names of the children of someResources(). */
const foreignObjects = [
  { apiVersion: "batch/v1", kind: "Job", name: "echo", spec: { template: jobTemplate } },
  {
    apiVersion: "batch/v1",
    kind: "CronJob",
    name: "tick",
    spec: { schedule: "0 0 1 1 *", jobTemplate: { spec: { template: jobTemplate } } },
  },
  { apiVersion: "apps/v1", kind: "Deployment", name: "cache-deployment", spec: deployment },
  { apiVersion: "apps/v1", kind: "Deployment", name: "set", spec: deployment },
  {
    apiVersion: "v1",
    kind: "Service",
    name: "web",
    spec: { ports: [{ port: 1 }], selector: { app: "theirs" } },
  },
] as const;

test("a resource of any kind whose child belongs to another owner reports it from the start, and does not change it", async () => {
  const { namespace, repository, start } = await aHarness();
  const objects = foreignObjects.map(({ apiVersion, kind, name, spec }) => ({
    apiVersion,
    kind,
    metadata: { name, namespace },
    spec,
  }));
  await applyObjects(...objects);
  await start();
  for (const { kind, name, spec } of someResources()) await applyResource(kind, namespace, { name, ...spec });

  for (const [index, { kind, name }] of someResources().entries()) {
    const wanted = { type: "Applied", status: "False", reason: "NotOwned", name };
    const resource = await untilCondition(kind, namespace, wanted);
    expect(conditionOf(resource, "Stalled")?.status).toBe("True");
    const foreign = foreignObjects[index];
    const why = conditionOf(resource, "Applied")?.message;
    expect(why).toContain(`${foreign?.kind} ${namespace}/${foreign?.name} exists and belongs to`);
    expect(why).toContain(`fairlead.dev/adopt-by: ${kind.kind.toLowerCase()}/${name}`);
    const [event] = await untilEvents(namespace, kind.kind, name);
    expect(event).toMatchObject({ type: "Warning", reason: "NotOwned", note: why });
    const live = await readObject(foreign?.kind ?? "", foreign?.name ?? "", namespace);
    expect(live?.metadata.labels ?? {}).not.toHaveProperty("fairlead.dev/set");
    expect(live?.metadata.ownerReferences).toBeUndefined();
  }
  // The branch never shows objects that the cluster does not have.
  expect(repository.files(namespace)).toEqual([]);
});

test("of two resources with the same child, the first owns it, and the second reports the owner and creates it after its deletion", async () => {
  const { namespace, start } = await aHarness();
  await start();
  await applyResource(Memcached, namespace, { name: "a", size: 1 });
  await untilReady(Memcached, namespace, "a");
  const name = "a-deployment";
  await applyResource(EasyService, namespace, { name, size: 1, image: "example.dev/web:1" });
  const refused = await untilCondition(EasyService, namespace, {
    name,
    type: "Applied",
    status: "False",
    reason: "NotOwned",
  });
  expect(conditionOf(refused, "Applied")?.message).toContain(`belongs to Memcached ${namespace}/a`);
  const live = await readObject<KubernetesObject>("deployment", name, namespace);
  expect(live?.metadata.ownerReferences).toMatchObject([{ kind: "Memcached", name: "a" }]);
  await untilReady(Memcached, namespace, "a");

  await kubectl(["delete", groupKindOf(Memcached), "a", "-n", namespace]);
  await untilReady(EasyService, namespace, name);
  const next = await readObject<KubernetesObject>("deployment", name, namespace);
  expect(next?.metadata.ownerReferences).toMatchObject([{ kind: "EasyService", name }]);
});

test("an object that its owner hands over by annotation is adopted in place", async () => {
  const { namespace, start } = await aHarness();
  await start();
  const metadata = { name: "web", namespace, labels: { team: "a" } };
  const theirs = { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: deployment };
  await applyObjects({
    ...theirs,
    metadata: { ...metadata, annotations: { "fairlead.dev/adopt-by": "podset/web" } },
  });
  const before = await readObject<SeenResource>("deployment", "web", namespace);
  const { metadata: owner } = await applyResource(PodSet, namespace, { size: 2 });
  await untilReady(PodSet, namespace);
  const after = await readObject<SeenResource>("deployment", "web", namespace);
  expect(after?.metadata).toMatchObject({ uid: before?.metadata.uid, labels: { team: "a" } });
  expect(after?.metadata.ownerReferences).toMatchObject([{ uid: owner.uid, controller: true }]);
  expect(after?.spec).toMatchObject({ replicas: 2, selector: deployment.selector });
});

/** Specs that the CRDs of the original operators accept. */
const badSpecs: Readonly<Record<string, object>> = {
  Echo: {},
  ScheduledEcho: { spec: { message: "hi", schedule: "whenever" } },
  Memcached: { spec: { size: -1 } },
  EasyService: { spec: { size: 1 } },
  PodSet: { spec: { size: -1 } },
};

test("a spec that was stored before our CRDs were installed is reported, for every kind, and an edit resolves it", async () => {
  const cluster = await secondCluster();
  onTestFinished(() => keepOperatorRequests(cluster.auditLogPath, testCluster()));
  const { kubectlPath = "kubectl" } = cluster;
  const seen = { ...cluster, kubectlPath };
  const admin = kubectlFor(seen);
  await install(seen);
  const crds = kinds.map(({ definition }) => `crd/${groupKindOf(definition)}`);
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = "/spec/versions/0/schema/openAPIV3Schema";
  for (const crd of crds) {
    const patch = [
      { op: "replace", path: `${schema}/properties/spec`, value: anything },
      { op: "remove", path: `${schema}/required` },
    ];
    await admin(["patch", crd, "--type=json", "-p", JSON.stringify(patch)]);
  }
  const resources = kinds.map(({ definition }) => ({
    apiVersion: apiVersionOf(definition),
    kind: definition.kind,
    metadata: { name: "bad", namespace: "default" },
    ...badSpecs[definition.kind],
  }));
  // The API server takes a moment to follow a changed schema.
  await eventually(async () => admin("apply --validate=false -f -", { input: resources }), {
    what: "bad resources",
  });
  await install(seen);
  await startOperator({ kubeconfigPath: cluster.operatorKubeconfigPath });

  for (const { definition } of kinds) {
    const type = groupKindOf(definition);
    const resource = await eventually(
      async () => {
        const found = JSON.parse(await admin(["get", type, "bad", "-o", "json"])) as SeenResource;
        return conditionOf(found, "Applied")?.reason === "SpecInvalid" ? found : undefined;
      },
      { what: `${definition.kind} reports SpecInvalid` },
    );
    expect(conditionOf(resource, "Applied")).toMatchObject({
      status: "False",
      message: expect.stringMatching(/: spec/),
    });
    expect(conditionOf(resource, "Stalled")?.status).toBe("True");
    const events = await eventually(
      async () =>
        (
          await admin([
            "get",
            "events",
            "--field-selector",
            `involvedObject.kind=${definition.kind},type=Warning`,
          ])
        ).includes("SpecInvalid"),
      { what: `an event about ${definition.kind}` },
    );
    expect(events).toBe(true);
  }
  await admin(["patch", groupKindOf(Memcached), "bad", "--type=merge", "-p", '{"spec":{"size":1}}']);
  await admin(["wait", groupKindOf(Memcached), "bad", "--for=condition=Applied", "--timeout=180s"]);
});
