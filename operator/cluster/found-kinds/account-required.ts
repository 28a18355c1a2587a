import { AccountRequiredError } from "../../errors.ts";
import type { Cluster } from "../../ports.ts";

/**
 * The cluster for a resource that names no ServiceAccount where one is required: every request about its objects is refused
 * before it is sent. The callers report the reason first; this holds where one of them forgets to.
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
