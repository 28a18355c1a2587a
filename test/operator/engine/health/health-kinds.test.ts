import { describe, expect, test } from "vitest";
import { assess, condition, conditions, type HealthCase, old, young } from "../../../fakes/health-cases.ts";

const cases: readonly HealthCase[] = [
  // Jobs
  { does: "a Job that has not started is in progress", head: "batch/v1 Job", is: { status: "InProgress" } },
  {
    does: "a Job that runs is in progress",
    head: "batch/v1 Job",
    rest: 'spec: { completions: 3 }\nstatus: { startTime: "2026-01-01T11:00:00Z", active: 1, succeeded: 1 }',
    is: { status: "InProgress", message: "1 of 3 completed" },
  },
  {
    does: "a Job whose pod is refused names where to find the reason",
    head: "batch/v1 Job",
    rest: "spec: { parallelism: 1 }\nstatus: { startTime: now, ready: 0, terminating: 0, uncountedTerminatedPods: {} }",
    is: {
      status: "InProgress",
      message: expect.stringMatching(
        /no pod; its events say why \(kubectl describe job \S+ -n \S+\).*Pod Security/,
      ),
    },
  },
  {
    does: "a Job whose pod ended, and is not counted yet, is not reported as without a pod",
    head: "batch/v1 Job",
    rest: "status: { startTime: now, uncountedTerminatedPods: { succeeded: [a] } }",
    is: { status: "InProgress", message: "has not completed yet" },
  },
  {
    does: "a Job that completed is Current",
    head: "batch/v1 Job",
    rest: conditions(condition("Complete", "True")),
    is: { status: "Current" },
  },
  {
    does: "a Job that failed is Failed, with its reason",
    head: "batch/v1 Job",
    rest: conditions(condition("Failed", "True", ", reason: BackoffLimitExceeded, message: too many")),
    is: { status: "Failed", reason: "BackoffLimitExceeded", message: "too many" },
  },
  {
    does: "a Job that is about to fail is Failed",
    head: "batch/v1 Job",
    rest: conditions(condition("FailureTarget", "True")),
    is: { status: "Failed" },
  },
  {
    does: "a Job that is suspended is Suspended",
    head: "batch/v1 Job",
    rest: "spec: { suspend: true }",
    is: { status: "Suspended" },
  },
  {
    does: "a Job that continues after a suspension is in progress",
    head: "batch/v1 Job",
    rest: `spec: { suspend: false }\n${conditions(condition("Suspended", "False", ", reason: JobResumed"))}`,
    is: { status: "InProgress" },
  },
  // CronJobs
  { does: "a CronJob before its first run is Current", head: "batch/v1 CronJob", is: { status: "Current" } },
  {
    does: "a CronJob that is suspended is Suspended",
    head: "batch/v1 CronJob",
    rest: "spec: { suspend: true }",
    is: { status: "Suspended" },
  },
  {
    does: "a CronJob whose last run succeeded is Current",
    head: "batch/v1 CronJob",
    rest: 'status: { lastScheduleTime: "2026-01-01T11:00:00Z", lastSuccessfulTime: "2026-01-01T11:00:03Z" }',
    is: { status: "Current" },
  },
  {
    does: "a CronJob whose last run did not succeed is Failed",
    head: "batch/v1 CronJob",
    rest: 'status: { lastScheduleTime: "2026-01-01T11:00:00Z", lastSuccessfulTime: "2026-01-01T10:00:03Z" }',
    is: { status: "Failed", reason: "LastRunFailed" },
  },
  {
    does: "a CronJob with a run in progress is Current",
    head: "batch/v1 CronJob",
    rest: 'status: { lastScheduleTime: "2026-01-01T11:00:00Z", active: [{ name: web-1 }] }',
    is: { status: "Current" },
  },
  // Network and storage
  { does: "a Service inside the cluster is Current", head: "v1 Service", is: { status: "Current" } },
  {
    does: "a load balancer without address is in progress at first",
    head: `v1 Service { ${young} }`,
    rest: "spec: { type: LoadBalancer }",
    is: { status: "InProgress", recheckAfterMs: 30_000 },
  },
  {
    does: "a load balancer without address is Current after a while",
    head: `v1 Service { ${old} }`,
    rest: "spec: { type: LoadBalancer }",
    is: { status: "Current" },
  },
  {
    does: "a load balancer with address is Current",
    head: `v1 Service { ${young} }`,
    rest: "spec: { type: LoadBalancer }\nstatus: { loadBalancer: { ingress: [{ ip: 10.0.0.1 }] } }",
    is: { status: "Current", message: "reachable at 10.0.0.1" },
  },
  {
    does: "an Ingress without address is in progress at first",
    head: `networking.k8s.io/v1 Ingress { ${young} }`,
    is: { status: "InProgress" },
  },
  {
    does: "an Ingress without address is Current after a while",
    head: `networking.k8s.io/v1 Ingress { ${old} }`,
    is: { status: "Current" },
  },
  {
    does: "a claim with a volume is Current",
    head: "v1 PersistentVolumeClaim",
    rest: "status: { phase: Bound }",
    is: { status: "Current" },
  },
  {
    does: "a claim whose volume no longer exists is Failed",
    head: "v1 PersistentVolumeClaim",
    rest: "status: { phase: Lost }",
    is: { status: "Failed" },
  },
  {
    does: "a claim without volume is in progress at first",
    head: `v1 PersistentVolumeClaim { ${young} }`,
    rest: "status: { phase: Pending }",
    is: { status: "InProgress" },
  },
  {
    does: "a claim that waits for its first pod does not block",
    head: `v1 PersistentVolumeClaim { ${old} }`,
    rest: "status: { phase: Pending }",
    is: { status: "Current" },
  },
];

describe("assessHealth() of Jobs, networks and storage:", () => {
  test.for(cases)("$does", (one) => {
    expect(assess(one)).toMatchObject(one.is);
  });
});
