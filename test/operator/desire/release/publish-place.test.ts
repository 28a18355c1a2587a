import { describe, expect, test } from "vitest";
import type { ReleaseRule } from "../../../../crds/release-policy.ts";
import type { Limits } from "../../../../operator/desire/release/limits.ts";
import { findPlaceRefusal, placeInSpec } from "../../../../operator/desire/release/publish-place.ts";
import { aRelease } from "../../../fakes/releases.ts";

const own = { branch: "main", root: "clusters/one" };
type Places = NonNullable<ReleaseRule["publish"]>;

const limitsOf = (...rules: (Places | undefined)[]): Limits =>
  rules.map((publish, index) => ({
    from: `rule ${index + 1}`,
    rule: publish === undefined ? {} : { publish },
  }));

describe("findPlaceRefusal()", () => {
  test.for([
    { does: "always allows the operator's own place", rules: [[]], at: own },
    { does: "allows a branch by name", rules: [[{ branch: "env" }]], at: { ...own, branch: "env" } },
    { does: "allows a branch by prefix", rules: [[{ branch: "env/*" }]], at: { ...own, branch: "env/eu" } },
    {
      does: "allows a folder and the folders below it",
      rules: [[{ path: "prod/" }]],
      at: { branch: "main", root: "prod/eu" },
    },
    {
      does: "allows every folder of a branch",
      rules: [[{ branch: "env", path: "." }]],
      at: { branch: "env", root: "" },
    },
    {
      does: "ignores rules without places if another rule has some",
      rules: [undefined, [{ branch: "env" }]],
      at: { ...own, branch: "env" },
    },
    {
      does: "requires only one location of a rule to match",
      rules: [[{ branch: "a" }, { branch: "env" }]],
      at: { ...own, branch: "env" },
    },
  ] satisfies { does: string; rules: (Places | undefined)[]; at: typeof own }[])("$does", ({ rules, at }) => {
    expect(findPlaceRefusal(at, own, limitsOf(...rules))).toBeUndefined();
  });

  test.for([
    { does: "another branch, without a rule", rules: [], at: { ...own, branch: "env" } },
    {
      does: "another tenant's folder, without a rule",
      rules: [],
      at: { branch: "main", root: "clusters/one/other" },
    },
    { does: "workflow files, without a rule", rules: [], at: { branch: "main", root: ".github/workflows" } },
    {
      does: "another branch, with a rule that names no places",
      rules: [undefined],
      at: { ...own, branch: "env" },
    },
    {
      does: "another folder on an allowed branch",
      rules: [[{ branch: "env" }]],
      at: { branch: "env", root: "prod" },
    },
    {
      does: "a folder that only begins with the same letters",
      rules: [[{ path: "prod" }]],
      at: { branch: "main", root: "prod-eu" },
    },
    {
      does: "a folder above the allowed one",
      rules: [[{ path: "prod/eu" }]],
      at: { branch: "main", root: "prod" },
    },
    {
      does: "a branch that only begins with the same letters",
      rules: [[{ branch: "env" }]],
      at: { ...own, branch: "env2" },
    },
    {
      does: "a place that only one of two rules allows",
      rules: [[{ branch: "*" }], [{ branch: "env" }]],
      at: { ...own, branch: "dev" },
    },
  ] satisfies { does: string; rules: (Places | undefined)[]; at: typeof own }[])(
    "refuses $does",
    ({ rules, at }) => {
      expect(findPlaceRefusal(at, own, limitsOf(...rules))).toMatch(
        /^Refused by .* may not publish to .*Ask the platform team/,
      );
    },
  );

  test("names the rule that refuses", () => {
    const limits = limitsOf([{ branch: "*" }], [{ branch: "env" }]);
    expect(findPlaceRefusal({ ...own, branch: "dev" }, own, limits)).toContain("Refused by rule 2:");
  });
});

describe("placeInSpec()", () => {
  test.for([
    { is: "empty for the operator's own place", publish: undefined, place: " " },
    { is: "the branch and the folder", publish: { branch: "env", path: "./prod/" }, place: "env prod" },
    { is: "empty for a spec that names neither", publish: {}, place: " " },
  ])("is $is", ({ publish, place }) => {
    expect(placeInSpec({ ...aRelease(), spec: { publish } })).toBe(place);
  });
});
