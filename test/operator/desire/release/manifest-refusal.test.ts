import { describe, expect, test } from "vitest";
import type { ReleaseRule } from "../../../../crds/release-policy.ts";
import { findManifestRefusal } from "../../../../operator/desire/release/manifest-refusal.ts";
import { aSourceManifest, asPrepared, limitsOf } from "../../../fakes/releases.ts";

describe("findManifestRefusal()", () => {
  const [map, job, role] = [
    aSourceManifest("v1", "ConfigMap", "a"),
    aSourceManifest("batch/v1", "Job", "a"),
    aSourceManifest("rbac.authorization.k8s.io/v1", "ClusterRole", "a"),
  ];
  const policy = aSourceManifest("fairlead.dev/v1alpha1", "ReleasePolicy", "a");
  const refusalOf = (manifests: (typeof map)[], rules: ReleaseRule[], actsAsOperator = false) =>
    findManifestRefusal({ prepared: asPrepared(manifests), limits: limitsOf(...rules), actsAsOperator });
  const core = { group: "", kind: "ConfigMap" };

  test.for([
    { does: "allows every kind by default", manifests: [map, job, role], rules: [{}] },
    { does: "allows allowed kinds", manifests: [map], rules: [{ kinds: { allowed: [core] } }] },
    {
      does: "allows kinds of an allowed group",
      manifests: [job],
      rules: [{ kinds: { allowed: [{ group: "batch", kind: "*" }] } }],
    },
    {
      does: "allows namespaced objects where cluster-scoped ones are not allowed",
      manifests: [map],
      rules: [{ kinds: { clusterScoped: false } }],
    },
    {
      does: "allows the maximum number of objects",
      manifests: [map, job],
      rules: [{ quotas: { objects: 2 } }],
    },
    { does: "allows policies that a ServiceAccount writes", manifests: [policy], rules: [] },
  ])("$does", ({ manifests, rules }) => {
    expect(refusalOf(manifests, rules)).toBeUndefined();
  });

  test.for([
    {
      does: "kinds that are not allowed",
      manifests: [map, job],
      rules: [{ kinds: { allowed: [core] } }],
      says: "Job",
    },
    {
      does: "every kind if none is allowed",
      manifests: [map],
      rules: [{ kinds: { allowed: [] } }],
      says: "Map",
    },
    {
      does: "denied kinds, also if they are allowed",
      manifests: [map],
      rules: [{ kinds: { allowed: [core], denied: [{ group: "*", kind: "ConfigMap" }] } }],
      says: "ConfigMap .*file-0.yaml",
    },
    {
      does: "a kind of the same name in another group",
      manifests: [aSourceManifest("evil.dev/v1", "ConfigMap", "a")],
      rules: [{ kinds: { allowed: [core] } }],
      says: "ConfigMap",
    },
    {
      does: "objects without a namespace",
      manifests: [map, role],
      rules: [{ kinds: { clusterScoped: false } }],
      says: "ClusterRole",
    },
    {
      does: "more objects",
      manifests: [map, job],
      rules: [{ quotas: { objects: 1 } }],
      says: "1 objects.*has 2",
    },
    { does: "more bytes", manifests: [map], rules: [{ quotas: { renderedBytes: 50 } }], says: "50 bytes" },
  ] satisfies { does: string; manifests: (typeof map)[]; rules: ReleaseRule[]; says: string }[])(
    "refuses $does",
    ({ manifests, rules, says }) => {
      expect(refusalOf(manifests, rules)).toMatch(
        new RegExp(`^Refused by rule 1: .*${says}.*Ask the platform team`),
      );
    },
  );

  test("refuses policies that the operator would write with its own rights", () => {
    expect(refusalOf([policy], [], true)).toMatch(/without a ServiceAccount may not change policies/);
  });
});
