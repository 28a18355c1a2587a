import { describe, expect, test } from "vitest";
import {
  expiryOf,
  foldRuntime,
  judgeRuntime,
  reportRuntime,
  retireRuntime,
  warnAboutRuntime,
} from "../../charts/runtime-lifetime.ts";
import type { RuntimeRecord, RuntimeResource } from "../../crds/runtime.ts";
import { observe } from "../fakes/observed.ts";
import type { ResourceOptions } from "../fakes/resources.ts";
import { aDeployment, aRuntime, at, clockAt, type PodState } from "../fakes/runtimes.ts";

const seen = (spec: object = {}, options: ResourceOptions = {}): RuntimeResource =>
  aRuntime(spec, options) as RuntimeResource;
const annotated = (name: string, value: string): ResourceOptions => ({
  annotations: { [`fairlead.dev/${name}`]: value },
});
const withPod = (state?: PodState) => observe(...(state === undefined ? [] : [aDeployment(state)]));

/** The record of a Runtime that was ready in the tenth second. */
const ready: RuntimeRecord = { restarts: 0, readyAt: at(10), countedFrom: at(10) };

describe("the record of a Runtime", () => {
  test.for<{
    does: string;
    spec?: object;
    options?: ResourceOptions;
    previous?: Partial<RuntimeRecord>;
    pod?: PodState;
    gives: Partial<RuntimeRecord>;
  }>([
    { does: "has no time before the pod is ready", gives: { restarts: 0 } },
    { does: "counts from when the pod was first ready", pod: {}, gives: ready },
    {
      does: "keeps that time when the pod is replaced later",
      previous: ready,
      pod: { since: at(40) },
      gives: ready,
    },
    { does: "keeps that time without a pod", previous: ready, gives: ready },
    {
      does: "counts from the creation",
      spec: { after: "created" },
      gives: { restarts: 0, countedFrom: at(0) },
    },
    {
      does: "counts from the creation also when the pod is ready",
      spec: { after: "created" },
      pod: {},
      gives: { ...ready, countedFrom: at(0) },
    },
    {
      does: "counts from the readiness if it was never used",
      spec: { after: "idle" },
      pod: {},
      gives: ready,
    },
    {
      does: "counts from the last use",
      spec: { after: "idle" },
      options: annotated("last-activity", at(30)),
      pod: {},
      gives: { ...ready, countedFrom: at(30) },
    },
    {
      does: "does not count from a use before the pod was ready",
      spec: { after: "idle" },
      options: annotated("last-activity", at(3)),
      pod: {},
      gives: ready,
    },
    {
      does: "ignores a last use that is not a time",
      spec: { after: "idle" },
      options: annotated("last-activity", "now"),
      pod: {},
      gives: ready,
    },
    {
      does: "reads the last use from the annotation in the spec",
      spec: { after: "idle", idleAnnotation: "example.dev/used" },
      options: { annotations: { "example.dev/used": at(30), "fairlead.dev/last-activity": at(50) } },
      pod: {},
      gives: { ...ready, countedFrom: at(30) },
    },
    {
      does: "does not treat the first value of the annotation as a restart",
      options: annotated("restarted-at", "a"),
      spec: { after: "created" },
      gives: { restarts: 0, restartedAt: "a", countedFrom: at(0) },
    },
    {
      does: "resets its times for another value of the annotation",
      options: annotated("restarted-at", "b"),
      previous: { ...ready, restartedAt: "a" },
      pod: { start: "a" },
      gives: { restarts: 1, restartedAt: "b" },
    },
    {
      does: "counts from when the pod of the new start was ready",
      options: annotated("restarted-at", "b"),
      previous: { restarts: 1, restartedAt: "b" },
      pod: { start: "b", since: at(50) },
      gives: { restarts: 1, restartedAt: "b", readyAt: at(50), countedFrom: at(50) },
    },
    {
      does: "counts from that after a restart, also if the first time counted from the creation",
      spec: { after: "created" },
      options: annotated("restarted-at", "b"),
      previous: { restarts: 1, restartedAt: "b" },
      pod: { start: "b", since: at(50) },
      gives: { restarts: 1, restartedAt: "b", readyAt: at(50), countedFrom: at(50) },
    },
    {
      does: "does not treat the removal of the annotation as a restart",
      previous: { ...ready, restartedAt: "a" },
      pod: { start: "a" },
      gives: { ...ready, restartedAt: "a" },
    },
  ])("$does", ({ spec, options, previous = {}, pod, gives }) => {
    const input = { resource: seen(spec, options), observed: withPod(pod) };
    const record = foldRuntime(previous, input);
    expect(record).toEqual(gives);
    // Folding it again returns the same, as after a restart of the engine.
    expect(foldRuntime(record, input)).toEqual(record);
  });

  test.for<{ when: string; pod: PodState }>([
    { when: "no pod is available", pod: { available: 0 } },
    { when: "the available pod is an old one", pod: { updated: 0, available: 1 } },
    {
      when: "the Deployment controller has not observed the last change",
      pod: { generation: 2, observedGeneration: 1 },
    },
    { when: "the Deployment is that of another start", pod: { start: "a" } },
    {
      when: "the Deployment is stopped, and available for that reason",
      pod: { replicas: 0, available: 1, updated: 1 },
    },
  ])("says not ready while $when", ({ pod }) => {
    const input = { resource: seen(), observed: withPod(pod) };
    expect(foldRuntime({}, input)).toEqual({ restarts: 0 });
  });

  test("is also that of a resource without a spec", () => {
    expect(foldRuntime({}, { resource: seen({}, { spec: undefined }), observed: observe() })).toEqual({
      restarts: 0,
    });
  });
});

describe("the end of a Runtime", () => {
  test.for<{ record: Partial<RuntimeRecord>; ttlSeconds: number; is: string | undefined }>([
    { record: ready, ttlSeconds: 60, is: at(70) },
    { record: ready, ttlSeconds: 3_600, is: at(3_610) },
    { record: { restarts: 0 }, ttlSeconds: 60, is: undefined },
    { record: { countedFrom: "2026-01-01T02:00:10+02:00" }, ttlSeconds: 60, is: at(70) },
  ])("is $is", ({ record, ttlSeconds, is }) => {
    expect(expiryOf({ ttlSeconds }, record)).toBe(is);
  });

  test.for([
    { onExpiry: "delete", seconds: 69, retired: undefined, verdict: undefined, phase: "Running" },
    {
      onExpiry: "delete",
      seconds: 70,
      retired: `it expired at ${at(70)}`,
      verdict: undefined,
      phase: "Expired",
    },
    { onExpiry: "stop", seconds: 69, retired: undefined, verdict: undefined, phase: "Running" },
    {
      onExpiry: "stop",
      seconds: 70,
      retired: undefined,
      verdict: {
        status: "Suspended",
        message: `stopped: it expired at ${at(70)}; raise spec.ttlSeconds to continue`,
      },
      phase: "Stopped",
    },
  ])("with $onExpiry, after $seconds s it is $phase", ({ onExpiry, seconds, retired, verdict, phase }) => {
    const resource = seen({ onExpiry });
    const observed = withPod({});
    const context = { record: ready, clock: clockAt(seconds) };
    const state = { resource, observed, ...context };
    expect(retireRuntime(state)).toBe(retired);
    expect(judgeRuntime(state)).toEqual(verdict);
    expect(reportRuntime(resource, observed, context)).toMatchObject({ phase, expiresAt: at(70) });
  });

  test("also occurs for a resource with an otherwise invalid spec, and not without a spec", () => {
    const context = { observed: observe(), record: ready, clock: clockAt(70) };
    expect(retireRuntime({ resource: seen({ template: undefined }), ...context })).toBeDefined();
    expect(retireRuntime({ resource: seen({}, { spec: undefined }), ...context })).toBeUndefined();
  });
});

describe("the status of a Runtime", () => {
  const report = (spec: object, seconds: number, pod: PodState | undefined = {}) =>
    reportRuntime(seen(spec), withPod(pod), { record: ready, clock: clockAt(seconds) });

  test("is Starting while its pod is not ready, also later", () => {
    expect(report({}, 20)).toMatchObject({ phase: "Running" });
    expect(report({}, 20, { available: 0 })).toMatchObject({ phase: "Starting", expiresAt: at(70) });
  });

  test("has the address of its Service", () => {
    const ports = [{ port: 8888, targetPort: 80 }, { port: 9999 }];
    expect(report({ template: { image: "i", ports } }, 20).address).toBe("web.shop.svc:8888");
    expect(report({}, 20)).not.toHaveProperty("address");
  });

  test.for([
    { seconds: 49, warnBeforeSeconds: 20, is: [] },
    {
      seconds: 50,
      warnBeforeSeconds: 20,
      is: [`Expiring: Is deleted at ${at(70)}; raise spec.ttlSeconds to keep it longer`],
    },
    {
      seconds: 50,
      warnBeforeSeconds: 20,
      onExpiry: "stop",
      is: [`Expiring: Stops at ${at(70)}; raise spec.ttlSeconds to keep it longer`],
    },
    { seconds: 11, warnBeforeSeconds: 300, is: [expect.any(String)] },
    { seconds: 69, warnBeforeSeconds: 0, is: [] },
    { seconds: 70, warnBeforeSeconds: 20, is: [] },
  ])("is Expiring shortly before the end: %j", ({ seconds, is, ...spec }) => {
    const { conditions } = report(spec, seconds);
    expect(conditions.map(({ type, message }) => `${type}: ${message}`)).toEqual(is);
  });
});

describe("the warnings about a Runtime", () => {
  test.for([
    {
      after: "idle",
      usedAt: "now",
      says: ['annotation "fairlead.dev/last-activity" is "now", which is not a time in RFC 3339'],
    },
    { after: "idle", usedAt: at(3), says: [] },
    { after: "ready", usedAt: "now", says: [] },
  ])("report a last use that is not a time: %j", ({ after, usedAt, says }) => {
    expect(warnAboutRuntime(seen({ after }, annotated("last-activity", usedAt)))).toEqual(says);
  });
});
