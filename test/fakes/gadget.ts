import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import * as z from "zod";
import { type BindKindInput, type BoundKind, bindKind, type ChartProps } from "../../crds/binding.ts";
import { ConfigMap, Namespace, Secret } from "../../crds/core-kinds.ts";
import { defineKind } from "../../crds/kind.ts";
import type { CustomResource } from "../../crds/object.ts";

/** A kind for tests: its chart creates the objects in its spec. */
export const Gadget = defineKind({
  group: "example.dev",
  kind: "Gadget",
  plural: "gadgets",
  description: "A gadget.",
  versions: [
    {
      name: "v1",
      spec: z.object({
        objects: z.array(z.looseObject({ apiVersion: z.string(), kind: z.string() })).default([]),
        size: z.int().min(0).default(1),
      }),
    },
  ],
});

type GadgetResource = CustomResource<z.output<typeof Gadget.spec>>;

export class GadgetChart extends Chart {
  constructor(scope: Construct, id: string, { resource }: ChartProps<GadgetResource>) {
    super(scope, id);
    resource.spec.objects.forEach((object, index) => {
      new ApiObject(this, `object-${index}`, object);
    });
  }
}

/** The gadget's binding, with another chart or other child kinds if a test needs them. */
export function aGadgetKind(
  overrides: Partial<BindKindInput<typeof Gadget, Construct>> = {},
): BoundKind<Construct> {
  return bindKind({
    definition: Gadget,
    chart: GadgetChart,
    children: [ConfigMap, Secret, Namespace],
    ...overrides,
  });
}

export const aConfigMap = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  ...more,
});
