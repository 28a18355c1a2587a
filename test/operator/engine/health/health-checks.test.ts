import { describe, expect, test } from "vitest";
import type { HealthCheck } from "../../../../crds/health-check.ts";
import type { LiveObject } from "../../../../crds/object.ts";
import { createHealthChecks } from "../../../../operator/engine/health/health-checks.ts";
import { aLiveObject } from "../../../fakes/objects.ts";

const check = (more: Partial<HealthCheck> = {}): HealthCheck => ({
  apiVersion: "example.dev/v1",
  kind: "Widget",
  current: "status.phase == 'Running'",
  ...more,
});
const widget = (status: unknown, more: Partial<LiveObject["metadata"]> = {}): LiveObject =>
  aLiveObject({ fields: { spec: { size: 3, replicas: 2 }, status }, metadata: more });
const assess = (live: LiveObject | undefined, one: HealthCheck) =>
  createHealthChecks().assess(live, [one], { nowMs: 0 });

describe("assess()", () => {
  const full = check({ inProgress: "status.phase == 'Starting'", failed: "status.phase == 'Broken'" });

  test.for([
    { phase: "Running", is: "Current" },
    { phase: "Starting", is: "InProgress" },
    { phase: "Broken", is: "Failed" },
    { phase: "Odd", is: "InProgress" },
  ])("$phase is $is", ({ phase, is }) => {
    expect(assess(widget({ phase }), full).status).toBe(is);
  });

  test.for([
    {
      case: "integers of the object",
      current: "status.ready == 2 && status.ready == spec.replicas",
      is: "Current",
    },
    { case: "sums", current: "status.ready + 1 == spec.size", is: "Current" },
    { case: "comparisons", current: "status.ready >= spec.replicas", is: "Current" },
    { case: "fractions", current: "status.load < 1.0", is: "Current" },
    {
      case: "conditions",
      current: "status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')",
      is: "Current",
    },
    {
      case: "a filter",
      current: "status.conditions.filter(c, c.type == 'Ready').all(c, c.status == 'True')",
      is: "Current",
    },
    { case: "optional fields", current: "has(status.ready) && !has(status.error)", is: "Current" },
    { case: "metadata", current: "metadata.name == 'web' && kind == 'Widget'", is: "Current" },
    { case: "a size", current: "size(status.conditions) == 1", is: "Current" },
  ])("supports $case", ({ current, is }) => {
    const status = { ready: 2, load: 0.5, conditions: [{ type: "Ready", status: "True" }] };
    const health = assess(widget(status), check({ current }));
    expect(health).toMatchObject({ status: is });
  });

  test("names the expression that cannot be evaluated, and why, and reports progress: the timeout ends it", () => {
    expect(assess(widget({}), check())).toEqual({
      status: "InProgress",
      reason: "HealthCheck",
      message: "its health check current cannot be evaluated: No such key: phase",
    });
    expect(assess(widget({ phase: 3 }), check({ current: "status.phase.startsWith('R')" })).message).toMatch(
      /^its health check current cannot be evaluated: .+/,
    );
    expect(assess(widget({ phase: "x" }), check({ current: "status.phase" })).message).toBe(
      "its health check current cannot be evaluated: it returned neither true nor false",
    );
  });

  test("reports if it cannot distinguish failure from progress", () => {
    const odd = check({ current: "true", failed: "status.phase.startsWith('B')" });
    expect(assess(widget({ phase: 3 }), odd).message).toMatch(
      /^its health check failed cannot be evaluated: .+/,
    );
  });

  test("a field that does not exist yet means neither failure nor progress", () => {
    expect(assess(widget({ ready: true }), { ...full, current: "status.ready" }).status).toBe("Current");
  });

  test.for([
    { case: "does not exist", live: undefined, is: "NotFound" },
    {
      case: "goes",
      live: widget({ phase: "Running" }, { deletionTimestamp: "2026-11-21T12:00:00Z" }),
      is: "Terminating",
    },
    {
      case: "was not observed by its controller",
      live: widget({ phase: "Running", observedGeneration: 1 }, { generation: 2 }),
      is: "InProgress",
    },
    {
      case: "is of another kind",
      live: { ...widget({ phase: "No" }), kind: "ConfigMap", apiVersion: "v1" },
      is: "Current",
    },
  ])("uses the built-in rules for an object that $case", ({ live, is }) => {
    expect(assess(live, check()).status).toBe(is);
  });

  test("selects by group and kind, in every version", () => {
    expect(assess({ ...widget({ phase: "Running" }), apiVersion: "example.dev/v2" }, check()).status).toBe(
      "Current",
    );
  });

  test("an Ingress without address is healthy at once", () => {
    const ingress = {
      ...widget({}, { creationTimestamp: "1970-01-01T00:00:00Z" }),
      apiVersion: "networking.k8s.io/v1",
      kind: "Ingress",
    };
    expect(createHealthChecks().assess(ingress, undefined, { nowMs: 0 }).status).toBe("Current");
  });

  test("does not read an object that would take too long", () => {
    const conditions = Array.from({ length: 20_000 }, (_, index) => ({ type: `t${index}` }));
    const loop = check({
      current: "status.conditions.all(a, status.conditions.exists(b, a.type != b.type))",
    });
    expect(assess(widget({ conditions }), loop).message).toBe(
      "its health check current cannot be evaluated: the object is too large for it",
    );
  });
});

describe("problemOf()", () => {
  test.for([
    {
      case: "is not valid CEL",
      current: "status.phase ==",
      why: /^spec\.healthChecks\[1\]\.current cannot be used: .+/,
    },
    {
      case: "is not a boolean",
      current: "'text'",
      why: /it must return true or false, and returns string$/,
    },
    { case: "adds incompatible types", current: "1 + 'a' == 2", why: /cannot be used: .+/ },
    {
      case: "searches by a regular expression",
      current: "status.phase.matches('(a+)+$')",
      why: /matches\(\) is not available here$/,
    },
    { case: "binds", current: "cel.bind(a, status, a == a)", why: /bind\(\) is not available here$/ },
    {
      case: "has too many nested loops",
      current: "[1].all(a, [1].all(b, [1].all(c, true)))",
      why: /loops may be at most 2 deep, found 3$/,
    },
    {
      case: "calls a function of the host",
      current: "process.exit()",
      why: /exit\(\) is not available here$/,
    },
  ])("names the expression that $case", ({ current, why }) => {
    expect(createHealthChecks().problemOf([check(), check({ current })])).toMatch(why);
  });

  test("reports no problem for valid ones", () => {
    expect(createHealthChecks().problemOf([check()])).toBeUndefined();
    expect(createHealthChecks().problemOf(undefined)).toBeUndefined();
  });

  test.for(["constructor", "__proto__", "toString"])("gives no way to %s", (name) => {
    const current = `has(status.${name})`;
    const checks = createHealthChecks();
    if (checks.problemOf([check({ current })]) === undefined)
      expect(assess(widget({}), check({ current })).status).toBe("InProgress");
  });
});
