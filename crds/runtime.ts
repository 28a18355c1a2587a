import * as z from "zod";
import { EnvVar, Quantity, ResourceRequirements, ServicePort } from "./core-types.ts";
import { defineKind, type ResourceOf, type SpecOf } from "./kind.ts";
import type { RecordOf } from "./record.ts";

/** Annotations that users and programs set on a Runtime. */
export const runtimeAnnotations = {
  /** Any text, such as a time: a new value restarts the Runtime, with its full time. */
  restartedAt: "fairlead.dev/restarted-at",
  /** RFC 3339: when the Runtime was last used. A Runtime may use another annotation for this. */
  lastActivity: "fairlead.dev/last-activity",
} as const;

const template = z
  .object({
    image: z.string().min(1).describe("Container image, with a tag or digest."),
    command: z.array(z.string()).optional().describe("Program to run. Default: the entrypoint of the image."),
    args: z.array(z.string()).optional().describe("Arguments of the program."),
    env: z
      .array(EnvVar)
      .optional()
      .describe("Environment variables; of two with the same name, the later one is used."),
    ports: z
      .array(ServicePort.omit({ nodePort: true }))
      .optional()
      .describe("Ports of the Service. Without ports, no Service is created."),
    resources: ResourceRequirements.optional().describe("CPU, memory and other resources."),
  })
  .describe("The container to run.");

const storage = z
  .object({
    size: Quantity.describe("Size of the volume."),
    storageClassName: z.string().optional().describe("Storage class. Default: the cluster's default class."),
    mountPath: z.string().min(1).describe("Mount path of the volume in the container."),
  })
  .describe("A volume for the container. It stays while the Runtime exists, also when it is stopped.");

const seconds = z.int32().min(0);
const instant = z.iso.datetime({ offset: true });
const ttlAboveMax = "must not be more than spec.maxTtlSeconds";

/** A container on request, such as a shell, a notebook or a cache, for a limited time. */
export const Runtime = defineKind({
  group: "fairlead.dev",
  kind: "Runtime",
  plural: "runtimes",
  shortNames: ["rt"],
  description:
    "Runtime runs one container for a limited time. Then it is deleted, or stopped until its time is extended.",
  versions: [
    {
      name: "v1alpha1",
      spec: z
        .object({
          template,
          storage: storage.optional(),
          ttlSeconds: seconds.min(1).describe("How long the Runtime runs, in seconds."),
          after: z
            .enum(["ready", "created", "idle"])
            .default("ready")
            .describe(
              "Start of the time: when the container was first ready, when the Runtime was created, or when it was last used.",
            ),
          idleAnnotation: z
            .string()
            .min(1)
            .max(317)
            .default(runtimeAnnotations.lastActivity)
            .describe(
              "With `after: idle`, the annotation of the Runtime with the time of its last use, in RFC 3339.",
            ),
          maxTtlSeconds: seconds.min(1).optional().describe("Upper limit of ttlSeconds."),
          warnBeforeSeconds: seconds
            .default(300)
            .describe("How long before the end a Warning event is recorded, in seconds; 0: no event."),
          onExpiry: z
            .enum(["delete", "stop"])
            .default("delete")
            .describe(
              "What happens at the end: the Runtime is deleted, or its container is stopped and its volume stays.",
            ),
        })
        .refine(({ ttlSeconds, maxTtlSeconds = ttlSeconds }) => ttlSeconds <= maxTtlSeconds, {
          path: ["ttlSeconds"],
          error: ttlAboveMax,
        })
        .meta({
          "x-kubernetes-validations": [
            {
              rule: "!has(self.maxTtlSeconds) || self.ttlSeconds <= self.maxTtlSeconds",
              message: ttlAboveMax,
              fieldPath: ".ttlSeconds",
            },
          ],
        })
        .describe("What to run, and for how long."),
      status: z.object({
        phase: z
          .enum(["Starting", "Running", "Stopped", "Expired"])
          .describe("Starting, Running, Stopped, or Expired."),
        address: z.string().optional().describe("Host and port of the Service, if there are ports."),
        expiresAt: instant.optional().describe("When the time of the Runtime is over."),
        readyAt: instant.optional().describe("When the container was first ready since it was last started."),
        countedFrom: instant.optional().describe("Start of the time."),
        restartedAt: z
          .string()
          .optional()
          .describe("Value of the annotation fairlead.dev/restarted-at that was handled last."),
        restarts: z.int32().min(0).optional().describe("How often it was restarted on request."),
      }),
    },
  ],
  columns: [
    {
      name: "Phase",
      type: "string",
      jsonPath: ".status.phase",
      description: "Starting, Running, Stopped, or Expired.",
    },
    {
      name: "Expires",
      // A `date` column shows an age, and `<invalid>` for a future time.
      type: "string",
      jsonPath: ".status.expiresAt",
      description: "When the time of the Runtime is over.",
    },
    {
      name: "Address",
      type: "string",
      jsonPath: ".status.address",
      description: "Host and port of the Service.",
      priority: 1,
    },
  ],
});

export type RuntimeResource = ResourceOf<typeof Runtime>;
export type RuntimeSpec = SpecOf<typeof Runtime>;
export type RuntimeRecord = RecordOf<typeof Runtime, "countedFrom" | "readyAt" | "restartedAt" | "restarts">;
