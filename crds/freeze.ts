import * as z from "zod";
import { defineKind, type ResourceOf, type SpecOf } from "./kind.ts";
import { immutableSpec, pipelineName, stageName } from "./stage-names.ts";

const pipelines = z
  .object({
    names: z.array(pipelineName).max(256).optional().describe("Names of Pipelines."),
    matchLabels: z.record(z.string(), z.string()).optional().describe("Labels that a Pipeline must have."),
  })
  .describe("Pipelines that the Freeze holds: those that match all fields. Default: all of the namespace.");

/** While it exists, and until its end, stages of Pipelines start nothing new. No controller reconciles it: Pipelines read it. */
export const Freeze = defineKind({
  group: "fairlead.dev",
  kind: "Freeze",
  plural: "freezes",
  shortNames: ["frz"],
  description:
    "Freeze stops stages of Pipelines from starting anything new, until an instant or until it is deleted. It is immutable.",
  hasStatus: false,
  versions: [
    {
      name: "v1alpha1",
      spec: z
        .object({
          pipelines: pipelines.optional(),
          stages: z
            .array(stageName)
            .max(256)
            .optional()
            .describe("Names of the stages that it holds. Default: all stages."),
          until: z.iso
            .datetime({ offset: true })
            .optional()
            .describe("When it ends, RFC 3339. Default: when it is deleted."),
          reason: z.string().min(1).max(1_024).describe("Why, for people."),
          by: z
            .string()
            .min(1)
            .max(512)
            .optional()
            .describe("User name of the one who creates it. The API server refuses any other."),
        })
        .meta(immutableSpec)
        .describe("What is held, and until when."),
    },
  ],
  columns: [
    {
      name: "Until",
      // A `date` is shown as an age, and an instant in the future as `<invalid>`.
      type: "string",
      jsonPath: ".spec.until",
      description: "When it ends.",
    },
    { name: "By", type: "string", jsonPath: ".spec.by", description: "User who created it." },
    { name: "Reason", type: "string", jsonPath: ".spec.reason", description: "Why." },
  ],
});

export type FreezeResource = ResourceOf<typeof Freeze>;
export type FreezeSpec = SpecOf<typeof Freeze>;
