import { describe, expect, test } from "vitest";
import type { ReleaseRule } from "../../../../crds/release-policy.ts";
import { accountOf } from "../../../../operator/release/core/account-of.ts";
import { limitRender } from "../../../../operator/release/core/limit-render.ts";
import type { Limits } from "../../../../operator/release/core/limits.ts";
import { findManifestRefusal } from "../../../../operator/release/core/manifest-refusal.ts";
import { findPolicyRefusal } from "../../../../operator/release/core/policy-refusal.ts";
import { aRelease, aSourceManifest, asPrepared } from "../../../fakes/releases.ts";

const limitsOf = (...rules: ReleaseRule[]): Limits =>
  rules.map((rule, index) => ({ from: `rule ${index + 1}`, rule }));

describe("findPolicyRefusal()", () => {
  const verify = { secretRef: { name: "signers" } };
  const refusalOf = ({
    source = {},
    rules = [] as ReleaseRule[],
    allowsLocal = false,
    older = 0,
  }: {
    readonly source?: object;
    readonly rules?: ReleaseRule[];
    readonly allowsLocal?: boolean;
    readonly older?: number;
  }) => {
    const { spec } = aRelease({ spec: { source: { url: "https://git.example/team/shop.git", ...source } } });
    return findPolicyRefusal({ spec, limits: limitsOf(...rules), allowsLocal, older: () => older });
  };

  test.for([
    { does: "allows any host by default" },
    { does: "allows an allowed repository", rules: [{ sources: ["https://git.example/team/"] }] },
    {
      does: "allows a signed source where it must be",
      rules: [{ verify: { required: true } }],
      source: { verify },
    },
    { does: "allows an unsigned one where it need not be", rules: [{ verify: { required: false } }] },
    { does: "allows the last Release of a quota", rules: [{ quotas: { releases: 3 } }], older: 2 },
    {
      does: "allows an address of the node outside a cluster",
      source: { url: "https://127.0.0.1/x" },
      allowsLocal: true,
    },
    {
      does: "allows an address of the node that a rule names",
      source: { url: "https://127.0.0.1/x" },
      rules: [{ sources: ["https://127.0.0.1/"] }],
    },
  ] satisfies (Parameters<typeof refusalOf>[0] & { does: string })[])("$does", ({ does: _, ...input }) => {
    expect(refusalOf(input)).toBeUndefined();
  });

  test.for([
    { does: "an address of the node", source: { url: "https://169.254.169.254/latest" }, says: "default" },
    { does: "another repository", rules: [{ sources: ["https://git.example/other/"] }], says: "rule 1" },
    { does: "every repository where none is allowed", rules: [{ sources: [] }], says: "rule 1" },
    {
      does: "a repository that only one of two rules allows",
      rules: [{ sources: ["https://git.example/"] }, { sources: ["https://git.example/other/"] }],
      says: "rule 2",
    },
    {
      does: "a URL that can be read in two ways",
      source: { url: "https://git.example/team/../other" },
      rules: [{ sources: ["https://git.example/"] }],
      says: "plainly",
    },
    {
      does: "an unsigned source",
      rules: [{}, { verify: { required: true } }],
      says: "rule 2.*spec.source.verify",
    },
    {
      does: "a Release over the smallest quota",
      rules: [{ quotas: { releases: 3 } }, { quotas: { releases: 2 } }],
      older: 2,
      says: "rule 2.*2 Releases",
    },
  ] satisfies (Parameters<typeof refusalOf>[0] & { does: string; says: string })[])(
    "refuses $does",
    ({ does: _, says, ...input }) => {
      expect(refusalOf(input)).toMatch(new RegExp(`^Refused by .*(${says}).*Ask the platform team`));
    },
  );
});

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
      does: "allows objects with a namespace where others are not",
      manifests: [map],
      rules: [{ kinds: { clusterScoped: false } }],
    },
    {
      does: "allows as many objects as there may be",
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
      does: "every kind where none is allowed",
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

describe("accountOf()", () => {
  const byPolicy = limitsOf({}, { serviceAccountName: "tenant" }, { serviceAccountName: "other" });
  test.for([
    { does: "is the operator by default", spec: {}, limits: [], name: undefined },
    {
      does: "is the one that the Release names",
      spec: { target: { serviceAccountName: "own" } },
      limits: byPolicy,
      name: "own",
    },
    { does: "is the first default", spec: { target: {} }, limits: byPolicy, name: "tenant" },
    { does: "is the default for a spec without a target", spec: undefined, limits: byPolicy, name: "tenant" },
  ])("$does", ({ spec, limits, name }) => {
    const account = accountOf({ metadata: { namespace: "shop" }, spec }, limits);
    expect(account).toEqual(name && { namespace: "shop", serviceAccountName: name });
  });
});

describe("limitRender()", () => {
  const render = (timeout: string) => ({ program: { entry: "main.ts", timeout } });
  test.for([
    {
      timeout: "168h",
      rules: [{ quotas: { programSeconds: 60 } }, { quotas: { programSeconds: 30 } }],
      gives: "30s",
    },
    { timeout: "10s", rules: [{ quotas: { programSeconds: 30 } }], gives: "10s" },
    { timeout: "1h", rules: [{}], gives: "1h" },
  ])("makes $gives of $timeout", ({ timeout, rules, gives }) => {
    expect(limitRender(render(timeout), limitsOf(...rules)).program?.timeout).toBe(gives);
  });

  test("leaves manifests alone", () => {
    const manifests = { manifests: {} };
    expect(limitRender(manifests, limitsOf({ quotas: { programSeconds: 1 } }))).toBe(manifests);
  });
});
