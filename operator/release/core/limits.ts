import type { ReleaseRule } from "../../../crds/release-policy.ts";

/** A rule that holds for a Release, and the object that sets it: `ReleasePolicy tenants, rule 1`. */
export interface NamedRule {
  readonly from: string;
  readonly rule: ReleaseRule;
}

/** All rules that hold for a Release. Each of them must allow what the Release asks for. */
export type Limits = readonly NamedRule[];

/** Origin of the rule in the operator's own options. */
export const INSTALLATION = "the operator's installation (releases.policy)";

/** The limits where no ReleasePolicy decides. */
export function installationLimits(rule: ReleaseRule | undefined): Limits {
  return rule === undefined ? [] : [{ from: INSTALLATION, rule }];
}

/** `Refused by ReleasePolicy tenants, rule 1: <why>. Ask …`: the message of every refusal. */
export function refusedBy(from: string, why: string): string {
  return `Refused by ${from}: ${why}. Ask the platform team to allow it, or change the Release`;
}
