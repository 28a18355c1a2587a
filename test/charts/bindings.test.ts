import { describe, expect, test } from "vitest";
import { easyService, echo, kinds, memcached, podSet, scheduledEcho } from "../../charts/bindings.ts";
import { childLabels } from "../../constructs/child-labels.ts";
import { CronJob, Deployment, Job, Pod } from "../../crds/core-kinds.ts";
import { aLiveObject } from "../fakes/objects.ts";
import { observe } from "../fakes/observed.ts";
import { aResource } from "../fakes/resources.ts";

const aPod = (name: string, { labels = {}, replicaSet = "", metadata = {}, status = {} } = {}) =>
  aLiveObject({
    kind: Pod,
    name,
    labels,
    metadata: {
      ...metadata,
      ...(replicaSet && {
        ownerReferences: [
          { apiVersion: "apps/v1", kind: "ReplicaSet", name: replicaSet, uid: "r", controller: true },
        ],
      }),
    },
    fields: { status },
  });

describe("the shipped kinds", () => {
  test("are seven", () => {
    expect(kinds.map(({ definition }) => definition.kind)).toEqual([
      "Echo",
      "ScheduledEcho",
      "Memcached",
      "EasyService",
      "PodSet",
      "Runtime",
      "Podbuggertool",
    ]);
  });

  test.for(kinds.map((kind) => ({ kind, title: kind.definition.kind })))(
    "return every status field that the schema requires, also for a failed resource ($title)",
    ({ kind }) => {
      const status = kind.status(aResource(kind, { spec: undefined }), observe());
      expect(kind.definition.status.safeParse({ ...status, conditions: undefined }).error).toBeUndefined();
    },
  );
});

describe("status of an Echo", () => {
  test("contains when its Job started and ended", () => {
    const times = { startTime: "2026-01-01T00:00:00Z", completionTime: "2026-01-01T00:00:05Z" };
    const job = aLiveObject({ kind: Job, name: "web", fields: { status: { ...times, succeeded: 1 } } });
    expect(echo.status(aResource(echo), observe(job))).toEqual(times);
    expect(echo.status(aResource(echo), observe())).toEqual({});
  });
});

describe("status of a ScheduledEcho", () => {
  test("contains when it last ran and which Jobs run", () => {
    const status = {
      lastScheduleTime: "2026-01-01T00:00:00Z",
      active: [{ name: "web-2" }, { name: "web-1" }],
    };
    const cronJob = aLiveObject({ kind: CronJob, name: "web", fields: { status } });
    expect(scheduledEcho.status(aResource(scheduledEcho), observe(cronJob))).toEqual({
      lastScheduleTime: "2026-01-01T00:00:00Z",
      active: ["web-1", "web-2"],
    });
    expect(scheduledEcho.status(aResource(scheduledEcho), observe())).toEqual({ active: [] });
  });
});

describe("status of a Memcached and a PodSet", () => {
  test.for([memcached, podSet].map((kind) => ({ kind, title: kind.definition.kind })))(
    "lists the running pods, sorted ($title)",
    ({ kind }) => {
      const pods = [
        aPod("c"),
        aPod("a", { status: { phase: "Pending" } }),
        aPod("b", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }),
        aPod("d", { status: { phase: "Failed", reason: "Evicted" } }),
      ];
      expect(kind.status(aResource(kind), observe(...pods))).toEqual({ nodes: ["a", "c"] });
      expect(kind.status(aResource(kind), observe())).toEqual({ nodes: [] });
    },
  );
});

describe("the owner of a pod", () => {
  const ownerOf = (kind: typeof memcached, pod: ReturnType<typeof aPod>) => kind.related[0]?.ownerKey(pod);
  const hash = { "pod-template-hash": "5d4f8c7b9" };
  const ours = (instance: string) => ({
    "app.kubernetes.io/instance": instance,
    "app.kubernetes.io/managed-by": "fairlead",
  });

  test.for([
    {
      pod: "of the original's Deployment",
      kind: memcached,
      labels: { app: "memcached", ...hash },
      replicaSet: "web-deployment-5d4f8c7b9",
      key: "shop/web",
    },
    {
      pod: "of a Deployment with a long name",
      kind: memcached,
      labels: { ...hash, ...ours("short-12345678") },
      replicaSet: "a.b-deployment-5d4f8c7b9",
      key: "shop/a.b",
    },
    {
      pod: "of somebody else's Deployment",
      kind: memcached,
      labels: { app: "memcached", ...hash },
      replicaSet: "web-5d4f8c7b9",
      key: undefined,
    },
    {
      pod: "without ReplicaSet",
      kind: memcached,
      labels: { app: "memcached", ...ours("web") },
      key: "shop/web",
    },
    {
      pod: "of another tool",
      kind: memcached,
      labels: { app: "memcached", "app.kubernetes.io/instance": "web" },
      key: undefined,
    },
    { pod: "that only says memcached", kind: memcached, labels: { app: "memcached" }, key: undefined },
    {
      pod: "of a PodSet",
      kind: podSet,
      labels: { podSet_cr: "web", ...hash },
      replicaSet: "web-5d4f8c7b9",
      key: "shop/web",
    },
    { pod: "of a PodSet, without ReplicaSet", kind: podSet, labels: { podSet_cr: "web" }, key: "shop/web" },
  ])("$pod is $key", ({ kind, labels, replicaSet, key }) => {
    expect(ownerOf(kind, aPod("p", { labels, ...(replicaSet && { replicaSet }) }))).toBe(key);
  });

  test("of an Echo or EasyService is watched with the labels of the operator's templates", () => {
    for (const kind of [echo, easyService]) {
      const [{ selector = "", ownerKey } = { ownerKey: () => undefined }] = kind.related;
      const labels = childLabels(kind.definition, aResource(kind));
      for (const term of selector.split(",")) {
        const [name = "", value] = term.split("=");
        expect(labels[name]).toBe(value);
      }
      expect(ownerKey(aPod("p", { labels }))).toBe("shop/web");
    }
    const taken = aPod("p", { labels: hash, replicaSet: "a.b-5d4f8c7b9" });
    expect(easyService.related[0]?.ownerKey(taken)).toBe("shop/a.b");
  });

  test("is watched with the only label that the original operator's pods have", () => {
    expect(memcached.related[0]).toMatchObject({ kind: Pod, selector: "app=memcached" });
    expect(podSet.related[0]).toMatchObject({ kind: Pod, selector: "app=podSet" });
  });
});

describe("status of an EasyService", () => {
  test("is that of the Deployment, without its times and generation", () => {
    const counters = {
      replicas: 2,
      updatedReplicas: 2,
      readyReplicas: 1,
      availableReplicas: 1,
      unavailableReplicas: 1,
      collisionCount: 3,
    };
    const condition = {
      type: "Available",
      status: "False",
      reason: "MinimumReplicasUnavailable",
      message: "wait",
    };
    const times = { lastUpdateTime: "2026-01-01T00:00:00Z", lastTransitionTime: "2026-01-01T00:00:00Z" };
    const status = { ...counters, observedGeneration: 9, conditions: [{ ...condition, ...times }] };
    const deployment = aLiveObject({ kind: Deployment, name: "web", fields: { status } });
    expect(easyService.status(aResource(easyService), observe(deployment))).toEqual({
      ...counters,
      conditions: [condition],
    });
  });
});
