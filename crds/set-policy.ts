import type { CustomResource } from "./object.ts";

/** Rules for all objects of a resource. */
export interface SetPolicy<Resource = CustomResource> {
  /**
   * Name of the ServiceAccount, in the resource's namespace, that every request for the objects impersonates, including
   * deletions. Undefined: the operator acts with its own permissions. Pure, and also called for resources with an
   * invalid spec.
   */
  readonly actAs?: (resource: Resource) => string | undefined;
  /**
   * The longest time that the objects of a resource may be unhealthy before it has failed, such as `5m`. Undefined: there is
   * no limit. Does not count where the kind gives a verdict. Pure.
   */
  readonly timeout?: (resource: Resource) => string | undefined;
}
