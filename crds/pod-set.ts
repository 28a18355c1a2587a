import * as z from "zod";
import { defineKind, type ResourceOf } from "./kind.ts";

/** A number of equal pods that do nothing: one Deployment. */
export const PodSet = defineKind({
  group: "apps.jicki.cn",
  kind: "PodSet",
  plural: "podsets",
  description: "PodSet runs a number of idle pods, as an example of scaling.",
  versions: [
    {
      name: "v1alpha1",
      spec: z
        .object({
          size: z.int32().min(0).describe("Size of the PodSet deployment; 0 stops all its pods."),
        })
        .describe("Desired number of pods."),
      status: z.object({
        nodes: z.array(z.string()).describe("Names of the PodSet pods that are not terminating, sorted."),
      }),
    },
  ],
  columns: [
    { name: "Size", type: "integer", jsonPath: ".spec.size", description: "Desired number of pods." },
    { name: "Nodes", type: "string", jsonPath: ".status.nodes", description: "Pods that run.", priority: 1 },
  ],
});

export type PodSetResource = ResourceOf<typeof PodSet>;
