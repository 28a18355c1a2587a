import type { CustomResource } from "./object.ts";

/** Rules for all objects of a resource. */
export interface SetPolicy<Resource = CustomResource> {
  /**
   * Name of the ServiceAccount, in the resource's namespace, that every request for the objects impersonates, deletions
   * included. Undefined: the operator acts with its own permissions. Pure, and called for resources whose spec is not valid, too.
   */
  readonly actAs?: (resource: Resource) => string | undefined;
}
