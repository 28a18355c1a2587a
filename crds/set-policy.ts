import type { CustomResource } from "./object.ts";

/** Rules for all objects of a resource. */
export interface SetPolicy<Resource = CustomResource> {
  /**
   * Name of the ServiceAccount, in the resource's namespace, that every request for the objects impersonates, including
   * deletions. Undefined: the operator acts with its own permissions. Pure, and also called for resources with an
   * invalid spec.
   */
  readonly actAs?: (resource: Resource) => string | undefined;
}
