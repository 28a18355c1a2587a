import type { Construct } from "constructs";
import type { BoundKind } from "../../crds/binding.ts";
import { apiVersionOf, type CustomResource } from "../../crds/object.ts";

export interface ResourceOptions {
  readonly name?: string;
  /** `null` for none. */
  readonly namespace?: string | null;
  readonly generation?: number;
  readonly spec?: unknown;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
}

/** A resource of a kind, with a uid that is derived from its name. */
export function aResource(
  { definition }: Pick<BoundKind<Construct>, "definition">,
  options: ResourceOptions = {},
): CustomResource {
  const { name = "web", namespace = "shop", generation = 1, spec = {}, labels, annotations } = options;
  return {
    apiVersion: apiVersionOf(definition),
    kind: definition.kind,
    metadata: {
      name,
      ...(namespace !== null && { namespace }),
      uid: `uid-of-${name}`,
      resourceVersion: "1",
      generation,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
    ours: false,
    spec,
  };
}
