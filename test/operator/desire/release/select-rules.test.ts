import { describe, expect, test } from "vitest";
import type { LiveObject } from "../../../../crds/object.ts";
import { installationLimits } from "../../../../operator/desire/release/limits.ts";
import { type SelectRulesInput, selectRules } from "../../../../operator/desire/release/select-rules.ts";

const aPolicy = (name: string, ...rules: object[]): LiveObject => ({
  apiVersion: "fairlead.dev/v1alpha1",
  kind: "ReleasePolicy",
  metadata: { name, uid: name, resourceVersion: "1" },
  ours: false,
  spec: { rules },
});
const installation = installationLimits({ quotas: { releases: 1 } });
const all = aPolicy("all", { namespaces: {}, verify: { required: true } });
const teams = aPolicy("teams", { namespaces: { names: ["team-*", "shop"] }, quotas: { objects: 2 } });
const trusted = aPolicy("trusted", { namespaces: { matchLabels: { trust: "high" } }, publish: [] });

const select = (input: Partial<SelectRulesInput>) =>
  selectRules({ namespace: "team-a", labels: {}, policies: [], installation, ...input });
const namesOf = (input: Partial<SelectRulesInput>) => {
  const selected = select(input);
  return selected.state === "known" ? selected.limits.map(({ from }) => from) : selected.state;
};

describe("selectRules()", () => {
  test.for([
    { does: "uses the installation's rule without a policy", policies: [], from: ["installation"] },
    {
      does: "uses the installation's rule if no rule selects the namespace",
      policies: [teams],
      namespace: "other",
      from: ["installation"],
    },
    {
      does: "uses the rules of policies instead of the installation's, in the order of the policies' names",
      policies: [teams, all],
      from: ["ReleasePolicy all, rule 1", "ReleasePolicy teams, rule 1"],
    },
    {
      does: "selects by a prefix with its dash",
      policies: [teams],
      namespace: "teamster",
      from: ["installation"],
    },
    {
      does: "selects by an exact name",
      policies: [teams],
      namespace: "shop",
      from: ["ReleasePolicy teams, rule 1"],
    },
    {
      does: "selects by labels",
      policies: [trusted],
      labels: { trust: "high", more: "x" },
      from: ["ReleasePolicy trusted, rule 1"],
    },
    {
      does: "ignores other labels",
      policies: [trusted],
      labels: { trust: "low" },
      from: ["installation"],
    },
    {
      does: "waits for a namespace that has not been observed",
      policies: [trusted],
      labels: "unknown",
      from: "pending",
    },
    {
      does: "decides without labels if no rule needs them",
      policies: [all],
      labels: "unknown",
      from: ["ReleasePolicy all, rule 1"],
    },
    {
      does: "makes no decision while labels cannot be read",
      policies: [all, trusted],
      labels: "unreadable",
      from: "undecidable",
    },
    {
      does: "needs no labels for a rule whose names do not match",
      policies: [aPolicy("x", { namespaces: { names: ["y"], matchLabels: { trust: "high" } } })],
      labels: "unreadable",
      from: ["installation"],
    },
    {
      does: "makes no decision by a policy with unknown fields",
      policies: [aPolicy("newer", { namespaces: {}, oddity: true })],
      from: "undecidable",
    },
  ] satisfies (Partial<SelectRulesInput> & { does: string; from: unknown })[])(
    "$does",
    ({ does: _, from, ...input }) => {
      const names = namesOf(input);
      const expected = Array.isArray(from) && from[0] === "installation" ? [installation[0]?.from] : from;
      expect(names).toEqual(expected);
    },
  );
});
