import type { ReleaseSpec } from "../../../crds/release.ts";
import { allowedSigners } from "./allowed-signers.ts";
import { type Limits, refusedBy, smallestOf } from "./limits.ts";
import { isBelow, isLocalAddress, readSourceAddress } from "./source-address.ts";

export interface PolicyRefusalInput {
  readonly spec: Pick<ReleaseSpec, "source">;
  readonly limits: Limits;
  /** Whether repositories of the operator's own machine may be used if no rule names sources. */
  readonly allowsLocal: boolean;
  /** Number of older Releases in the namespace. */
  readonly older: () => number;
}

/**
 * Why the source of a Release may not be fetched: its URL, a missing `verify`, or too many Releases in its namespace. Pure.
 *
 * @returns Undefined: it may be deployed.
 */
export function findPolicyRefusal({
  spec,
  limits,
  allowsLocal,
  older,
}: PolicyRefusalInput): string | undefined {
  const refusal = findSourceRefusal(spec.source, { limits, allowsLocal });
  if (refusal !== undefined) return refusal;
  const most = smallestOf(limits, ({ quotas }) => quotas?.releases);
  if (most === undefined || older() < most.value) return undefined;
  return refusedBy(
    most.from,
    `the namespace may have ${most.value} Releases, and this one is newer than those`,
  );
}

export interface SourceRefusalOptions extends Pick<PolicyRefusalInput, "limits" | "allowsLocal"> {
  /** Name of the source in messages. Default: that of a Release. */
  readonly field?: string;
  /** The object that the user may change. Default: a Release. */
  readonly of?: string | undefined;
}

/**
 * Why a source may not be fetched: its URL, or a missing `verify`. Pure.
 *
 * @returns Undefined: it may be fetched.
 */
export function findSourceRefusal(
  { url, verify }: Pick<ReleaseSpec["source"], "url" | "verify">,
  { limits, allowsLocal, field = "spec.source", of }: SourceRefusalOptions,
): string | undefined {
  const refused = findUrlRefusal(url, { limits, allowsLocal, field, of });
  if (refused !== undefined) return refused;
  const signed = limits.find(({ rule }) => rule.verify?.required === true);
  const signers = allowedSigners(limits);
  if (signed !== undefined && verify === undefined && signers === undefined)
    return refusedBy(signed.from, `commits must be signed, and ${field}.verify is not set`, of);
  if (signers?.size !== 0) return undefined;
  const why = "no signing key is allowed by all of their rules with verify.keys";
  return refusedBy("the policies", why, of);
}

function findUrlRefusal(
  url: string,
  { limits, allowsLocal, field, of }: SourceRefusalOptions,
): string | undefined {
  const deciding = limits.filter(({ rule }) => rule.sources !== undefined);
  if (deciding.length === 0) {
    if (allowsLocal || !isLocalAddress(url)) return undefined;
    const why = `${field}.url is an address of the operator's own node, and no rule names it in sources`;
    return refusedBy("default", why, of);
  }
  const address = readSourceAddress(url);
  for (const { from, rule } of deciding) {
    if (address === undefined) {
      const why = `${field}.url cannot be compared with the allowed sources; use a plain URL without . and .. segments`;
      return refusedBy(from, why, of);
    }
    const prefixes = rule.sources?.map(readSourceAddress) ?? [];
    if (prefixes.some((prefix) => prefix !== undefined && isBelow(address, prefix))) continue;
    const hint = prefixes.includes(undefined)
      ? " (one of its sources cannot be read and allows nothing)"
      : "";
    return refusedBy(from, `it does not allow the repository in ${field}.url${hint}`, of);
  }
  return undefined;
}
