import type { ReleaseSpec } from "../../../crds/release.ts";
import type { Impersonation } from "../../ports.ts";
import type { Limits } from "./limits.ts";

/** The part of a Release that determines its permissions. Its spec may be invalid. */
export interface AccountableRelease {
  readonly metadata: { readonly namespace?: string | undefined };
  readonly spec?:
    | { readonly target?: Partial<Pick<ReleaseSpec["target"], "serviceAccountName">> }
    | undefined;
}

/**
 * The account whose permissions apply to all requests for a Release, including deletions: its ServiceAccount, or the
 * default of the first rule that has one. Pure.
 *
 * @param limits Sorted by the names of the policies.
 * @returns Undefined: the operator's own permissions.
 */
export function accountOf({ metadata, spec }: AccountableRelease, limits: Limits): Impersonation | undefined {
  const byRule = limits.find(({ rule }) => rule.serviceAccountName !== undefined)?.rule.serviceAccountName;
  const serviceAccountName = spec?.target?.serviceAccountName ?? byRule;
  if (serviceAccountName === undefined) return undefined;
  return { namespace: metadata.namespace ?? "", serviceAccountName };
}
