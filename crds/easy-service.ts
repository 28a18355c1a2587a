import * as z from "zod";
import { EnvVar, ResourceRequirements, ServicePort } from "./core-types.ts";
import { defineKind, type ResourceOf } from "./kind.ts";

const count = z.int32().min(0).optional();

/** A stateless service reachable on every node: one Deployment and, if there are ports, one Service. */
export const EasyService = defineKind({
  group: "app.kubebuilder.io",
  kind: "EasyService",
  plural: "easyservices",
  description:
    "EasyService runs an image in a Deployment and exposes its ports on every node through a Service.",
  versions: [
    {
      name: "v1",
      spec: z
        .object({
          size: z.int32().min(0).describe("Number of pods; 0 stops them all."),
          image: z.string().min(1).describe("Container image, with a tag or digest."),
          resources: ResourceRequirements.optional().describe(
            "CPU, memory and other resources of each container.",
          ),
          envs: z
            .array(EnvVar)
            .optional()
            .describe(
              "Environment variables of the container; of two with the same name, the later one is used.",
            ),
          ports: z
            .array(ServicePort)
            .optional()
            .describe("Ports of the Service. Without ports, no Service is created."),
        })
        .describe("Image, number of pods, and ports."),
      status: z.object({
        replicas: count.describe("Number of pods."),
        updatedReplicas: count.describe("Pods that run the current image and settings."),
        readyReplicas: count.describe("Pods that are ready."),
        availableReplicas: count.describe("Pods that have been ready for at least minReadySeconds."),
        unavailableReplicas: count.describe("Pods that are still missing."),
        collisionCount: count.describe("Hash collisions of the Deployment."),
      }),
    },
  ],
  columns: [
    { name: "Image", type: "string", jsonPath: ".spec.image", description: "Container image." },
    { name: "Size", type: "integer", jsonPath: ".spec.size", description: "Desired number of pods." },
    {
      name: "Available",
      type: "integer",
      jsonPath: ".status.availableReplicas",
      description: "Pods that are available.",
    },
  ],
  scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.replicas" },
});

export type EasyServiceResource = ResourceOf<typeof EasyService>;
