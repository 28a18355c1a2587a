import * as z from "zod";
import { defineKind, type ResourceOf } from "./kind.ts";

/** A number of equal pods that do nothing: one Deployment. */
export const PodSet = defineKind({
  group: "apps.jicki.cn",
  kind: "PodSet",
  plural: "podsets",
  description: "PodSet keeps a number of sleeping pods, to try scaling with.",
  versions: [
    {
      name: "v1alpha1",
      spec: z
        .object({
          size: z.int32().min(0).describe("Size of the PodSet deployment; 0 stops all its pods."),
        })
        .describe("How many pods to keep."),
      status: z.object({
        nodes: z.array(z.string()).describe("Names of the PodSet pods that are not terminating, sorted."),
      }),
    },
  ],
  columns: [
    { name: "Size", type: "integer", jsonPath: ".spec.size", description: "Number of pods asked for." },
    { name: "Nodes", type: "string", jsonPath: ".status.nodes", description: "Pods that run.", priority: 1 },
  ],
});

export type PodSetResource = ResourceOf<typeof PodSet>;
