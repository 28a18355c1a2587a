import type { Cluster } from "../../ports.ts";

/** A request was not sent because its Release has no ServiceAccount, which this operator requires. */
export class AccountRequiredError extends Error {
  override readonly name = "AccountRequiredError";

  constructor() {
    super("Cannot act for a Release that names no ServiceAccount");
  }
}

/**
 * The cluster for a Release without a ServiceAccount if one is required. It rejects every request for objects without
 * sending it. Callers check this before and report the reason; this protects against a missing check.
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
