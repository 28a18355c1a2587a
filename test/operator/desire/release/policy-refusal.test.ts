import { describe, expect, test } from "vitest";
import type { ReleaseRule } from "../../../../crds/release-policy.ts";
import { findPolicyRefusal } from "../../../../operator/desire/release/policy-refusal.ts";
import { aRelease, limitsOf } from "../../../fakes/releases.ts";

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
      does: "allows a signed source where a signature is required",
      rules: [{ verify: { required: true } }],
      source: { verify },
    },
    {
      does: "allows a source without keys if a policy names them",
      rules: [{ verify: { required: true, keys: ["ssh-ed25519 A"] } }],
    },
    {
      does: "allows an unsigned source where no signature is required",
      rules: [{ verify: { required: false } }],
    },
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
    { does: "every repository if none is allowed", rules: [{ sources: [] }], says: "rule 1" },
    {
      does: "a repository that only one of two rules allows",
      rules: [{ sources: ["https://git.example/"] }, { sources: ["https://git.example/other/"] }],
      says: "rule 2",
    },
    {
      does: "a URL that can be read in two ways",
      source: { url: "https://git.example/team/../other" },
      rules: [{ sources: ["https://git.example/"] }],
      says: "plain URL",
    },
    {
      does: "an unsigned source",
      rules: [{}, { verify: { required: true } }],
      says: "rule 2.*spec.source.verify",
    },
    {
      does: "every commit if the rules have no common key",
      rules: [
        { verify: { required: true, keys: ["ssh-ed25519 A"] } },
        { verify: { required: true, keys: ["ssh-ed25519 B"] } },
      ],
      says: "no signing key",
    },
    {
      does: "every repository of a rule that cannot be read",
      rules: [{ sources: ["https://git.example/team/../"] }],
      says: "rule 1.*cannot be read",
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
