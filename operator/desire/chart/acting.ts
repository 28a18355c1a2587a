import type { BoundKind } from "../../../crds/binding.ts";
import type { CustomResource } from "../../../crds/object.ts";
import { SpecInvalidError } from "../../errors.ts";
import type { Cluster } from "../../ports.ts";

export interface ActingOptions {
  readonly kind: Pick<BoundKind, "policy">;
  readonly cluster: Cluster;
}

/** The cluster with the permissions for a resource's objects, or why these are not changed. */
export interface Acting {
  readonly acting: Cluster;
  readonly refusal?: SpecInvalidError;
}

/**
 * Returns the cluster with the permissions of the kind's ServiceAccount. If its policy names none: with those of the
 * operator.
 */
export function actingFor(resource: CustomResource, { kind, cluster }: ActingOptions): Acting {
  const { actAs } = kind.policy;
  if (actAs === undefined) return { acting: cluster };
  try {
    const serviceAccountName = actAs(resource);
    if (serviceAccountName === undefined) return { acting: cluster };
    const { namespace = "" } = resource.metadata;
    return { acting: cluster.as({ namespace, serviceAccountName }) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { acting: cluster, refusal: new SpecInvalidError(message, { cause: error }) };
  }
}
