import { AccountRequiredError } from "../../desire/release/errors.ts";
import type { ReleaseCluster } from "../../desire/release/ports.ts";

/**
 * The cluster for a Release that names no ServiceAccount where one is required: every request about its objects is refused
 * before it is sent. The callers report the reason first; this holds where one of them forgets to.
 */
export function withoutAccount(): ReleaseCluster {
  const refuse = (): Promise<never> => Promise.reject(new AccountRequiredError());
  const cluster: ReleaseCluster = {
    as: () => cluster,
    until: () => cluster,
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
