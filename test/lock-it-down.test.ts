import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { readOperatorValues } from "../charts/values/operator-values.ts";
import type { LiveObject } from "../crds/object.ts";
import { Release, type ReleaseSpec } from "../crds/release.ts";
import { ReleasePolicy, releaseRule } from "../crds/release-policy.ts";
import { installationLimits } from "../operator/desire/release/limits.ts";
import { findPolicyRefusal } from "../operator/desire/release/policy-refusal.ts";
import { selectRules } from "../operator/desire/release/select-rules.ts";

const textOf = (page: string): string => readFileSync(resolve(import.meta.dirname, "..", page), "utf8");
const read = (page: string): readonly LiveObject[] => {
  const text = textOf(page);
  const blocks = [...text.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, block = ""]) => block);
  return blocks.flatMap((block) => parseAllDocuments(block).map((document) => document.toJS()));
};
const page = read("docs/lock-it-down.md");
const ofKind = (kind: string) => page.filter((object) => object.kind === kind);
const values = page.find((object) => object.kind === undefined);
const installation = installationLimits(readOperatorValues(values).releases.policy);
const refusalOf = (namespace: string, source: object): string | undefined => {
  const rules = selectRules({ namespace, labels: {}, policies: ofKind("ReleasePolicy"), installation });
  if (rules.state !== "known") throw new Error(rules.state);
  const spec: ReleaseSpec = Release.spec.parse({ source, render: { manifests: {} } });
  return findPolicyRefusal({ spec, limits: rules.limits, allowsLocal: false, older: () => 0 });
};

test.for(["docs/lock-it-down.md", "docs/kinds/release-policy.md"])(
  "%s shows policies that can be used",
  (path) => {
    const policies = read(path).filter(({ kind }) => kind === ReleasePolicy.kind);
    expect(policies).toHaveLength(1);
    for (const policy of policies) expect(ReleasePolicy.spec.safeParse(policy["spec"]).error).toBeUndefined();
  },
);

test("docs/kinds/release-policy.md has a heading per field of a rule, and no other", () => {
  const [, rules = ""] = textOf("docs/kinds/release-policy.md").split("\n## Rules\n");
  const headings = [...rules.matchAll(/^### `(.*)`$/gm)].map(([, field]) => field);
  expect(headings.toSorted()).toEqual(["namespaces", ...Object.keys(releaseRule.shape)].toSorted());
});

test("docs/lock-it-down.md shows Releases that its policy refuses", () => {
  const releases = ofKind("Release");
  expect(releases.map(({ metadata }) => metadata.name)).toEqual([
    "other-source",
    "metadata-service",
    "unsigned",
  ]);
  for (const { metadata, ...release } of releases) {
    const { source } = release["spec"] as ReleaseSpec;
    const refusal = refusalOf(metadata.namespace ?? "", source);
    expect(refusal).toMatch(/^Refused by ReleasePolicy tenants, rule/);
    expect(textOf("docs/lock-it-down.md")).toContain(`4s    ${refusal}\n`);
  }
});

test("docs/lock-it-down.md shows a policy that allows a signed source of the tenant, and no other namespace", () => {
  const source = {
    url: "https://git.example.dev/team-a/shop.git",
    verify: { secretRef: { name: "signers" } },
  };
  expect(refusalOf("team-a", source)).toBeUndefined();
  expect(refusalOf("unknown", source)).toMatch(/^Refused by the operator's installation/);
});
