import { App, Chart } from "cdk8s";
import { describe, expect, test } from "vitest";
import { approvalPolicyGap, approvalPolicyObjects } from "../../../charts/pipeline/approval-policy.ts";
import { WriteFences } from "../../../constructs/write-fences.ts";
import { ValidatingAdmissionPolicy } from "../../../crds/core-kinds.ts";
import type { KubernetesObject, LiveObject, ObjectKind } from "../../../crds/object.ts";

type Edit = (object: KubernetesObject) => KubernetesObject | undefined;

/** The objects of an installation that a Pipeline watches. */
function installed(edit: Edit = (object) => object, watchedNamespaces: readonly string[] = []) {
  const chart = new Chart(new App(), "fences");
  new WriteFences(chart, "fences", {
    kinds: [],
    name: "lead",
    namespace: "ops",
    ha: true,
    policies: { ownership: false, leadership: false, stages: true },
    releases: { enabled: true },
    watchedNamespaces,
  });
  const [label, value] = approvalPolicyObjects[0]?.selector?.split("=") ?? [];
  return (chart.toJson() as KubernetesObject[])
    .filter(({ metadata }) => metadata.labels?.[label ?? ""] === value)
    .map((object) => edit(structuredClone(object)))
    .filter((object) => object !== undefined) as LiveObject[];
}

const observing = (objects: readonly LiveObject[]) => ({
  list: ({ kind }: ObjectKind) => objects.filter((object) => object.kind === kind),
});

const gap = (edit?: Edit, watched?: readonly string[]) =>
  approvalPolicyGap(observing(installed(edit, watched)), "shop");

const editing =
  (kind: "policy" | "binding", change: object): Edit =>
  (object) =>
    (object.kind === ValidatingAdmissionPolicy.kind) === (kind === "policy")
      ? { ...object, spec: { ...(object["spec"] as object), ...change } }
      : object;

describe("approvalPolicyGap()", () => {
  test("is absent for the installed policy and binding", () => {
    expect(installed().map(({ metadata }) => metadata.name)).toEqual([
      "lead.ops.approvals",
      "lead.ops.approvals",
    ]);
    expect(gap()).toBeUndefined();
    expect(gap(undefined, ["shop", "other"])).toBeUndefined();
    // With the defaults that the API server adds to a binding.
    expect(
      gap(editing("binding", { matchResources: { matchPolicy: "Equivalent", objectSelector: {} } })),
    ).toBeUndefined();
  });

  test.for([
    ["without a policy", () => undefined, /policy for Approvals is missing/],
    [
      "without a binding",
      (object: KubernetesObject) => (object.kind === ValidatingAdmissionPolicy.kind ? object : undefined),
      /binding of the admission policy lead.ops.approvals is missing/,
    ],
    [
      "with a binding that warns",
      editing("binding", { validationActions: ["Warn", "Audit"] }),
      /rejects requests/,
    ],
    [
      "with a binding that matches only some namespaces",
      editing("binding", { matchResources: { namespaceSelector: { matchLabels: { a: "b" } } } }),
      /rejects requests/,
    ],
    ["with a binding of another policy", editing("binding", { policyName: "other" }), /is missing/],
    [
      "with a policy that lets errors pass",
      editing("policy", { failurePolicy: "Ignore" }),
      /cannot validate/,
    ],
    ["with a policy that checks nothing", editing("policy", { validations: [] }), /cannot validate/],
    [
      "with objects that are being deleted",
      (object: KubernetesObject) => ({
        ...object,
        metadata: { ...object.metadata, deletionTimestamp: "2026-11-23T10:00:00Z" },
      }),
      /is being deleted/,
    ],
  ] as const)("exists %s", ([, edit, says]) => {
    expect(gap(edit)).toMatch(says);
  });

  test("exists in a namespace that the policy does not match", () => {
    expect(gap(undefined, ["other"])).toBe(
      'the admission policy lead.ops.approvals does not apply to namespace "shop"',
    );
  });

  test("is absent if one of several installations has no gap", () => {
    const other = installed(undefined, ["other"]).map((object) => ({
      ...object,
      metadata: { ...object.metadata, name: "other.ops.approvals" },
    }));
    expect(approvalPolicyGap(observing([...other, ...installed()]), "shop")).toBeUndefined();
  });
});
