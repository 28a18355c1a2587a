import { describe, expect, test } from "vitest";
import {
  kindsOfDefinition,
  readAggregated,
  readLegacyGroups,
  readLegacyResources,
} from "../../../../operator/cluster/found-kinds/discovery-answer.ts";
import { aggregated, allVerbs } from "../../../fakes/discovery.ts";

const names = (found: ReturnType<typeof readAggregated>) =>
  found?.flatMap(({ kinds }) =>
    kinds.map((kind) => `${kind.group}/${kind.version} ${kind.plural} ${kind.kind}`),
  );

describe("readAggregated()", () => {
  test("returns the kinds that can be stored, in the order that the cluster prefers, and the names of the others", () => {
    const found = readAggregated(
      aggregated({
        autoscaling: [
          { version: "v2", kinds: [{ plural: "horizontalpodautoscalers", kind: "HorizontalPodAutoscaler" }] },
          { version: "v1", kinds: [{ plural: "horizontalpodautoscalers", kind: "HorizontalPodAutoscaler" }] },
        ],
        "authentication.k8s.io": [
          {
            version: "v1",
            kinds: [{ plural: "tokenreviews", kind: "TokenReview", namespaced: false, verbs: ["create"] }],
          },
        ],
      }),
    );
    expect(names(found)).toEqual([
      "autoscaling/v2 horizontalpodautoscalers HorizontalPodAutoscaler",
      "autoscaling/v1 horizontalpodautoscalers HorizontalPodAutoscaler",
    ]);
    expect(found?.at(-1)?.unkept).toEqual(["TokenReview"]);
  });

  test("reads the core group, scopes, and stale versions", () => {
    const found = readAggregated(
      aggregated({
        "": [{ version: "v1", kinds: [{ plural: "namespaces", kind: "Namespace", namespaced: false }] }],
        "metrics.k8s.io": [{ version: "v1beta1", freshness: "Stale", kinds: [] }],
      }),
    );
    expect(found?.[0]?.kinds).toEqual([
      { group: "", version: "v1", kind: "Namespace", plural: "namespaces", namespaced: false },
    ]);
    expect(found?.map(({ isStale }) => isStale)).toEqual([false, true]);
  });

  test("rejects the response of an older server and an invalid one", () => {
    expect(readAggregated({ kind: "APIGroupList", groups: [] })).toBeUndefined();
    for (const odd of [null, [], "text", { kind: "APIGroupDiscoveryList", items: "x" }, { items: [{}] }])
      expect(() => readAggregated(odd)).not.toThrow();
    const halves = { kind: "APIGroupDiscoveryList", items: [{ versions: [{ resources: [{}, null] }] }] };
    expect(readAggregated(halves)?.flatMap(({ kinds }) => kinds)).toEqual([]);
  });
});

test("readLegacyGroups() puts the preferred version first", () => {
  const groups = [
    {
      name: "apps",
      versions: [{ version: "v1beta1" }, { version: "v1" }],
      preferredVersion: { version: "v1" },
    },
  ];
  expect(readLegacyGroups({ kind: "APIVersions", versions: ["v1"] })).toEqual([{ group: "", version: "v1" }]);
  expect(readLegacyGroups({ kind: "APIGroupList", groups })).toEqual([
    { group: "apps", version: "v1" },
    { group: "apps", version: "v1beta1" },
  ]);
});

test("readLegacyResources() omits subresources", () => {
  const resources = [
    { name: "deployments", kind: "Deployment", namespaced: true, verbs: allVerbs },
    { name: "deployments/scale", kind: "Scale", namespaced: true, verbs: allVerbs },
  ];
  const found = readLegacyResources({ resources }, { group: "apps", version: "v1" });
  expect(found.kinds.map(({ kind }) => kind)).toEqual(["Deployment"]);
});

describe("kindsOfDefinition()", () => {
  const crd = (established: string, metadata = {}) => ({
    metadata,
    spec: {
      group: "example.dev",
      names: { kind: "Widget", plural: "widgets" },
      scope: "Cluster",
      versions: [
        { name: "v2", served: true },
        { name: "v1", served: false },
      ],
    },
    status: { conditions: [{ type: "Established", status: established }] },
  });

  test("returns the served versions, once it is established, and until it is deleted", () => {
    const widget = {
      group: "example.dev",
      version: "v2",
      kind: "Widget",
      plural: "widgets",
      namespaced: false,
    };
    expect(kindsOfDefinition(crd("True"))).toEqual([widget]);
    expect(kindsOfDefinition(crd("True", { deletionTimestamp: "2026-01-01T00:00:00Z" }))).toEqual([widget]);
    expect(kindsOfDefinition(crd("False"))).toEqual([]);
    expect(kindsOfDefinition({})).toEqual([]);
  });
});
