import { describe, expect, test } from "vitest";
import { Approval } from "../../crds/approval.ts";
import { customResourceDefinitionOf } from "../../crds/custom-resource-definition.ts";
import { Freeze } from "../../crds/freeze.ts";
import type { StructuralSchema } from "../../crds/structural-schema.ts";

const approval = {
  pipeline: "shop",
  stage: "prod",
  revision: "1".repeat(40),
  digest: "a".repeat(32),
  by: "ada",
};

describe.for([Approval, Freeze])("$kind", (definition) => {
  test("has an immutable spec, and neither status nor its columns", () => {
    const [version] = customResourceDefinitionOf(definition).spec.versions;
    const { properties } = version?.schema.openAPIV3Schema ?? {};
    const spec = properties?.["spec"] as StructuralSchema;
    expect(spec["x-kubernetes-validations"]).toEqual([
      { rule: "self == oldSelf", message: "is immutable: delete the object and create another one" },
    ]);
    expect(properties).not.toHaveProperty("status");
    expect(version).not.toHaveProperty("subresources");
    expect(definition.columns.map(({ name }) => name)).not.toContain("Ready");
  });
});

test("an Approval approves by default", () => {
  expect(Approval.spec.parse(approval)).toEqual({ ...approval, decision: "Approve" });
  expect(Approval.spec.safeParse({ ...approval, decision: "Reject" }).success).toBe(true);
  for (const wrong of [
    { decision: "approve" },
    { digest: "short" },
    { stage: "shop.prod" },
    { by: "" },
    { revision: "main" },
  ])
    expect(Approval.spec.safeParse({ ...approval, ...wrong }).success, JSON.stringify(wrong)).toBe(false);
});

test("a Freeze requires a reason, and its end must be an instant", () => {
  expect(Freeze.spec.safeParse({ reason: "sale" }).success).toBe(true);
  expect(Freeze.spec.safeParse({ reason: "sale", until: "2026-11-30T12:00:00+02:00" }).success).toBe(true);
  for (const wrong of [
    {},
    { reason: "" },
    { reason: "sale", until: "tomorrow" },
    { reason: "sale", stages: ["a.b"] },
  ])
    expect(Freeze.spec.safeParse(wrong).success, JSON.stringify(wrong)).toBe(false);
});
