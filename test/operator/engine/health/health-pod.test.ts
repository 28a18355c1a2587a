import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { assessHealth } from "../../../../operator/engine/health/health.ts";
import { aLiveObject } from "../../../fakes/objects.ts";

const nowMs = Date.parse("2026-01-01T12:00:00Z");
const pods = { group: "", version: "v1", kind: "Pod", plural: "pods", namespaced: true };
const deployments = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  namespaced: true,
};

const aPod = (status: string, name = "web-1") =>
  aLiveObject({ kind: pods, name, labels: { app: "web" }, fields: { status: parse(status) } });
const assess = (status: string) => assessHealth(aPod(status), { nowMs });

const crashed = "terminated: { exitCode: 1, reason: Error }";
const crashing = [
  `phase: Running\ncontainerStatuses: [{ name: app, ready: false, restartCount: 3, state: { waiting: { reason: CrashLoopBackOff, message: back-off 40s } }, lastState: { ${crashed} } }]`,
  `phase: Running\ncontainerStatuses: [{ name: app, ready: false, restartCount: 3, state: { running: {} }, lastState: { ${crashed} } }]`,
  `phase: Running\ncontainerStatuses: [{ name: app, ready: false, restartCount: 4, state: { ${crashed} }, lastState: { ${crashed} } }]`,
];
const pulling = ["ErrImagePull", "ImagePullBackOff"].map(
  (reason) =>
    `phase: Pending\ncontainerStatuses: [{ name: app, ready: false, state: { waiting: { reason: ${reason}, message: ${reason} of web:1 } } }]`,
);

describe("assessHealth() of a Pod", () => {
  test.for([
    {
      does: "that is ready is Current",
      status: 'phase: Running\nconditions: [{ type: Ready, status: "True" }]',
      is: { status: "Current" },
    },
    { does: "that succeeded is Current", status: "phase: Succeeded", is: { status: "Current" } },
    {
      does: "that failed is Failed, with the exit code",
      status: `phase: Failed\ncontainerStatuses: [{ name: app, ready: false, state: { ${crashed} } }]`,
      is: { status: "Failed", message: "container app crashes repeatedly: Error, exit code 1" },
    },
    {
      does: "that was evicted is Failed, with the reason",
      status: "phase: Failed\nreason: Evicted\nmessage: low on memory",
      is: { status: "Failed", reason: "Evicted", message: "low on memory" },
    },
    {
      does: "that ran out of memory is Failed",
      status:
        "phase: Running\ncontainerStatuses: [{ name: app, ready: false, restartCount: 1, state: { running: {} }, lastState: { terminated: { exitCode: 137, reason: OOMKilled } } }]",
      is: { status: "Failed", reason: "OOMKilled" },
    },
    {
      does: "without its ConfigMap is Failed, and names it",
      status:
        'phase: Pending\ncontainerStatuses: [{ name: app, ready: false, state: { waiting: { reason: CreateContainerConfigError, message: configmap "x" not found } } }]',
      is: {
        status: "Failed",
        reason: "CreateContainerConfigError",
        message: 'container app cannot start: CreateContainerConfigError (configmap "x" not found)',
      },
    },
    {
      does: "whose init container fails is Failed",
      status: `phase: Pending\ninitContainerStatuses: [{ name: setup, ready: false, restartCount: 2, state: { waiting: { reason: CrashLoopBackOff } }, lastState: { ${crashed} } }]`,
      is: { status: "Failed", message: "container setup crashes repeatedly: Error, exit code 1" },
    },
    {
      does: "that recovered from a crash is Current",
      status: `phase: Running\nconditions: [{ type: Ready, status: "True" }]\ncontainerStatuses: [{ name: app, ready: true, restartCount: 1, state: { running: {} }, lastState: { ${crashed} } }]`,
      is: { status: "Current" },
    },
    {
      does: "whose containers are being created is in progress",
      status:
        "phase: Pending\ncontainerStatuses: [{ name: a, ready: true, state: { running: {} } }, { name: b, ready: false, state: { waiting: { reason: ContainerCreating } } }]",
      is: { status: "InProgress", message: "1 of 2 containers ready" },
    },
    { does: "that is unobserved is in progress", status: "phase: Pending", is: { status: "InProgress" } },
    {
      does: "with a scheduling gate is in progress",
      status:
        'phase: Pending\nconditions: [{ type: PodScheduled, status: "False", reason: SchedulingGated, message: gated }]',
      is: { status: "InProgress", reason: "SchedulingGated" },
    },
    {
      does: "that cannot be scheduled is in progress at first",
      status:
        'phase: Pending\nconditions: [{ type: PodScheduled, status: "False", reason: Unschedulable, message: no memory, lastTransitionTime: "2026-01-01T11:59:50Z" }]',
      is: { status: "InProgress", recheckAfterMs: 5000 },
    },
    {
      does: "that cannot be scheduled is Failed after a while",
      status:
        'phase: Pending\nconditions: [{ type: PodScheduled, status: "False", reason: Unschedulable, message: no memory, lastTransitionTime: "2026-01-01T11:59:45Z" }]',
      is: { status: "Failed", reason: "Unschedulable", message: "no node can run it: no memory" },
    },
  ])("$does", ({ status, is }) => {
    expect(assess(status)).toMatchObject(is);
  });

  test("that crashes has the same message whether it runs, has ended or backs off", () => {
    const [first, ...others] = crashing.map(assess);
    expect(first).toEqual({
      status: "Failed",
      reason: "CrashLoopBackOff",
      message: "container app crashes repeatedly: Error, exit code 1",
    });
    for (const other of others) expect(other).toEqual(first);
  });

  test("whose image is missing has the same message whether it pulls or backs off", () => {
    const [first, second] = pulling.map(assess);
    expect(first).toMatchObject({ status: "Failed", reason: "ImagePullBackOff" });
    expect(second).toEqual(first);
  });
});

describe("assessHealth() of a workload", () => {
  const aDeployment = (progressing: string) =>
    aLiveObject({
      kind: deployments,
      generation: 1,
      fields: {
        spec: { replicas: 1, selector: { matchLabels: { app: "web" } } },
        status: {
          observedGeneration: 1,
          replicas: 1,
          updatedReplicas: 1,
          conditions: [{ type: "Progressing", status: "True", reason: progressing }],
        },
      },
    });
  const bad = aPod(crashing[0] ?? "", "web-b");
  const worse = aPod(pulling[0] ?? "", "web-a");
  const message =
    "0 of 1 pod up to date and available; container app: its image cannot be pulled (ImagePullBackOff)";

  test("reports the error of the first of its pods, in the order of their names", () => {
    const health = assessHealth(aDeployment("ReplicaSetUpdated"), { nowMs, pods: [bad, worse] });
    expect(health).toMatchObject({ status: "InProgress", message });
  });

  test("is Failed when a pod breaks after the rollout, because no deadline runs any more", () => {
    const health = assessHealth(aDeployment("NewReplicaSetAvailable"), { nowMs, pods: [bad, worse] });
    expect(health).toMatchObject({ status: "Failed", reason: "ImagePullBackOff", message });
  });

  test("reports why a pod cannot be scheduled, and does not fail for that", () => {
    const unscheduled =
      'phase: Pending\nconditions: [{ type: PodScheduled, status: "False", reason: Unschedulable, message: "0/3 nodes are available: 3 Insufficient cpu. preemption: none helps" }]';
    for (const progressing of ["ReplicaSetUpdated", "NewReplicaSetAvailable"]) {
      const health = assessHealth(aDeployment(progressing), { nowMs, pods: [aPod(unscheduled, "web-a")] });
      const why = "no node can run pod web-a: 0/3 nodes are available: 3 Insufficient cpu";
      expect(health).toMatchObject({
        status: "InProgress",
        message: `0 of 1 pod up to date and available; ${why}`,
        cause: why,
      });
    }
  });

  test("does not report pods of other workloads", () => {
    const other = { ...bad, metadata: { ...bad.metadata, labels: { app: "other" } } };
    const health = assessHealth(aDeployment("NewReplicaSetAvailable"), { nowMs, pods: [other] });
    expect(health).toMatchObject({ status: "InProgress", message: "0 of 1 pod up to date and available" });
  });

  test("ignores terminating pods", () => {
    const leaving = { ...bad, metadata: { ...bad.metadata, deletionTimestamp: "2026-01-01T11:00:00Z" } };
    const health = assessHealth(aDeployment("NewReplicaSetAvailable"), { nowMs, pods: [leaving] });
    expect(health).toMatchObject({ status: "InProgress", message: "0 of 1 pod up to date and available" });
  });
});
