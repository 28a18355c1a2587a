import { describe, expect, test } from "vitest";
import { sortForApply, stageOf } from "../../synth/order.ts";

const anObject = (apiVersion: string, kind: string, name = "web") => ({
  apiVersion,
  kind,
  metadata: { name },
});

describe("stageOf()", () => {
  test.for([
    { apiVersion: "v1", kind: "Namespace", stage: 0 },
    { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", stage: 0 },
    { apiVersion: "v1", kind: "ServiceAccount", stage: 1 },
    { apiVersion: "v1", kind: "Secret", stage: 1 },
    { apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", stage: 1 },
    { apiVersion: "apps/v1", kind: "Deployment", stage: 2 },
    { apiVersion: "batch/v1", kind: "CronJob", stage: 2 },
    { apiVersion: "v1", kind: "Service", stage: 3 },
    { apiVersion: "example.dev/v1", kind: "Deployment", stage: 3 },
  ])("puts $kind ($apiVersion) into stage $stage", ({ apiVersion, kind, stage }) => {
    expect(stageOf({ apiVersion, kind })).toBe(stage);
  });
});

describe("sortForApply()", () => {
  test("orders by stage and keeps the chart's order within one", () => {
    const [service, b, a] = [
      anObject("v1", "Service"),
      anObject("apps/v1", "Deployment", "b"),
      anObject("batch/v1", "Job", "a"),
    ];
    const namespace = anObject("v1", "Namespace");
    expect(sortForApply([service, b, a, namespace])).toEqual([namespace, b, a, service]);
  });
});
