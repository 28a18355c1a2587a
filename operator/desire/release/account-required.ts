import type { Cluster } from "../../ports.ts";

/** A request for a Release without a ServiceAccount, which this operator requires. It was not sent. */
export class AccountRequiredError extends Error {
  override readonly name = "AccountRequiredError";

  constructor() {
    super("Cannot act for a Release that names no ServiceAccount");
  }
}

/**
 * The cluster for a Release without a ServiceAccount if one is required: every request about its objects is rejected
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
