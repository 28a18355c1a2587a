import type { LiveObject } from "../../../crds/object.ts";
import type { ReleaseRule } from "../../../crds/release-policy.ts";
import type { SmallestLimit } from "../../render/ports.ts";

/** A rule that applies to a Release, and the object that sets it: `ReleasePolicy tenants, rule 1`. */
export interface NamedRule {
  readonly from: string;
  readonly rule: ReleaseRule;
}

/** All rules that apply to a Release. Each of them must allow the spec of the Release. */
export type Limits = readonly NamedRule[];

/** Origin of the rule in the operator's own options. */
export const INSTALLATION = "the operator's installation (releases.policy)";

export type SelectedRules =
  | { readonly state: "known"; readonly limits: Limits }
  /** The Namespace has not been observed yet, and a rule selects by its labels. */
  | { readonly state: "pending"; readonly message: string }
  /** It is unknown which rules apply, so nothing is deployed. */
  | { readonly state: "undecidable"; readonly message: string };

/** The limits if no ReleasePolicy applies. */
export function installationLimits(rule: ReleaseRule | undefined): Limits {
  return rule === undefined ? [] : [{ from: INSTALLATION, rule }];
}

/** `Refused by ReleasePolicy tenants, rule 1: <why>. Ask …`: the message of every refusal. */
export function refusedBy(from: string, why: string, of = "Release"): string {
  return `Refused by ${from}: ${why}. Ask the platform team to allow it, or change the ${of}`;
}

/** The rule with the smallest value, which is the one that applies. */
export function smallestOf(
  limits: Limits,
  limitOf: (rule: ReleaseRule) => number | undefined,
): SmallestLimit | undefined {
  let smallest: SmallestLimit | undefined;
  for (const { from, rule } of limits) {
    const value = limitOf(rule);
    if (value !== undefined && value < (smallest?.value ?? Number.POSITIVE_INFINITY))
      smallest = { from, value };
  }
  return smallest;
}

/** The platform's decisions that the reconcile of a Release needs. */
export interface Platform {
  /** The rules for a Release. Returns the same object for a namespace until its rules change. */
  select(release: LiveObject): SelectedRules;
  /** Number of Releases of its namespace that are older than this one. */
  olderThan(release: LiveObject): number;
  /** Whether repositories and addresses of the operator's own machine may be used if no rule names sources. */
  readonly allowsLocal: boolean;
}
