import { describe, expect, test } from "vitest";
import {
  adviseOnNames,
  nameDifferences,
  rulesDigestOf,
  stageDifference,
} from "../../crds/stage-differences.ts";

describe("a declared difference", () => {
  test.for([
    "spec",
    "spec.replicas",
    "spec.template.spec.containers[*].image",
    "spec.containers[0]",
    'metadata.annotations["example.dev/owner"]',
    'data["app.json"]',
    "data.*",
  ])("may name the field %s", (field) => {
    expect(stageDifference.safeParse({ fields: [field] }).success).toBe(true);
  });

  test.for(["", ".spec", "spec.", "spec..replicas", "spec[", "spec[a]", 'data["a', "a b", "[0]"])(
    "may not name the field %j",
    (field) => {
      expect(stageDifference.safeParse({ fields: [field] }).success).toBe(false);
    },
  );

  test("has a digest that differs from that of every other", () => {
    const lists = [
      [],
      [{}],
      [{ kind: "a" }],
      [{ name: "a" }],
      [{ fields: ["a"] }],
      [{ fields: ["a", "b"] }],
      [{ fields: ["a"] }, { fields: ["b"] }],
    ];
    expect(new Set(lists.map(rulesDigestOf)).size).toBe(lists.length);
    expect(rulesDigestOf([{ name: "a", kind: "b" }])).toBe(rulesDigestOf([{ kind: "b", name: "a" }]));
  });
});

test("differences are named by object and field; for an object that only one Release has, its fields are omitted", () => {
  const object = "Deployment web";
  const ours = [
    { object, digest: "" },
    { object, field: "spec.replicas", digest: "1" },
    { object, field: "spec.paused", digest: "1" },
    { object: "Ingress web", digest: "" },
    { object: "Ingress web", field: "spec.rules", digest: "2" },
  ];
  const theirs = [
    { object, digest: "" },
    { object, field: "spec.replicas", digest: "2" },
    { object: "Service web", digest: "" },
  ];
  expect(nameDifferences(ours, theirs)).toEqual([
    "Deployment web: spec.paused",
    "Deployment web: spec.replicas",
    "Ingress web (only here)",
    "Service web (only there)",
  ]);
  expect(nameDifferences(ours, ours)).toEqual([]);
});

test("adviseOnNames() is for objects of one kind that each Release has under another name", () => {
  const advice = "; if such objects are the same under two names, declare metadata.name";
  expect(adviseOnNames(["ConfigMap web-eu (only here)", "ConfigMap web-us (only there)"])).toBe(advice);
  expect(adviseOnNames(["… in Route.x.dev a (only there); Route.x.dev b (only here)"])).toBe(advice);
  expect(adviseOnNames(["ConfigMap a (only here)", "Secret a (only there)"])).toBe("");
  expect(adviseOnNames(["ConfigMap a (only here)", "ConfigMap b: data.x"])).toBe("");
});
