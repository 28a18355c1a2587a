import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import * as z from "zod";
import { bindKind, type ChartProps, defineKind, type ResourceOf } from "../../index.ts";

const group = "galleries.tests.fairlead.dev";

/** A kind for tests. Other users may add items to its lists, but no keys to its map. */
export const Board = defineKind({
  group,
  kind: "Board",
  plural: "boards",
  description: "Board has fields of all list types and map types.",
  hasStatus: false,
  versions: [
    {
      name: "v1",
      spec: z.object({
        routes: z
          .array(z.object({ name: z.string(), path: z.string(), mode: z.string().default("prefix") }))
          .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] }),
        hosts: z.array(z.string()).meta({ "x-kubernetes-list-type": "set" }),
        match: z.record(z.string(), z.string()).meta({ "x-kubernetes-map-type": "atomic" }),
      }),
    },
  ],
});

const Gallery = defineKind({
  group,
  kind: "Gallery",
  plural: "galleries",
  description: "Gallery keeps a Board.",
  versions: [{ name: "v1", spec: z.object({ path: z.string() }), status: z.object({}) }],
});

class GalleryChart extends Chart {
  constructor(scope: Construct, id: string, { resource }: ChartProps<ResourceOf<typeof Gallery>>) {
    super(scope, id);
    const { name } = resource.metadata;
    new ApiObject(this, "board", {
      apiVersion: `${group}/v1`,
      kind: Board.kind,
      metadata: { name },
      spec: {
        routes: [{ name: "all", path: resource.spec.path }],
        hosts: ["one.example.dev"],
        match: { app: name },
      },
    });
  }
}

/** A kind for tests whose child is a declared kind. */
export const gallery = bindKind({ definition: Gallery, chart: GalleryChart, children: [Board] });
