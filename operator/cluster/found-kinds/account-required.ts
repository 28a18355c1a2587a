import { AccountRequiredError } from "../../errors.ts";
import type { Cluster } from "../../ports.ts";

/**
 * The cluster for a resource without a ServiceAccount if one is required: every request about its objects is rejected
 * before it is sent. Callers report the reason first; this is the protection if one of them does not.
 */
export function withoutAccount(): Cluster {
  const refuse = (): Promise<never> => Promise.reject(new AccountRequiredError());
  const cluster: Cluster = {
    as: () => cluster,
    until: () => cluster,
    dryRun: () => cluster,
    apply: refuse,
    add: refuse,
    read: refuse,
    delete: refuse,
    patchStatus: refuse,
    patchMetadata: refuse,
    takeOverFields: refuse,
  };
  return cluster;
}
