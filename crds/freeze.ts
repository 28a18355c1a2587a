import * as z from "zod";
import { defineKind, type ResourceOf, type SpecOf } from "./kind.ts";
import { immutableSpec, pipelineName, stageName } from "./stage-names.ts";

const pipelines = z
  .object({
    names: z.array(pipelineName).min(1).max(256).optional().describe("Names of Pipelines."),
    matchLabels: z.record(z.string(), z.string()).optional().describe("Labels that a Pipeline must have."),
  })
  .describe(
    "Pipelines to which the Freeze applies: those that match all fields. Default: all of the namespace.",
  );

/**
 * Prevents stages of Pipelines from starting candidates until it ends or is deleted. No controller reconciles it:
 * Pipelines read it.
 */
export const Freeze = defineKind({
  group: "fairlead.dev",
  kind: "Freeze",
  plural: "freezes",
  shortNames: ["frz"],
  description:
    "Freeze prevents stages of Pipelines from starting candidates, until an instant or until it is deleted. It is immutable.",
  hasStatus: false,
  versions: [
    {
      name: "v1alpha1",
      spec: z
        .object({
          pipelines: pipelines.optional(),
          stages: z
            .array(stageName)
            .min(1)
            .max(256)
            .optional()
            .describe("Names of the stages to which it applies. Default: all stages."),
          until: z.iso
            .datetime({ offset: true })
            .optional()
            .describe("When it ends, RFC 3339. Default: when it is deleted."),
          reason: z.string().min(1).max(1_024).describe("The reason, shown to users."),
          by: z
            .string()
            .min(1)
            .max(512)
            .optional()
            .describe("Name of the user who creates it. The API server rejects any other name."),
        })
        .meta(immutableSpec)
        .describe("The Pipelines and stages to freeze, and until when."),
    },
  ],
  columns: [
    {
      name: "Until",
      // A `date` column shows an age, and `<invalid>` for a future time.
      type: "string",
      jsonPath: ".spec.until",
      description: "When it ends.",
    },
    { name: "By", type: "string", jsonPath: ".spec.by", description: "User who created it." },
    { name: "Reason", type: "string", jsonPath: ".spec.reason", description: "The reason." },
  ],
});

export type FreezeResource = ResourceOf<typeof Freeze>;
export type FreezeSpec = SpecOf<typeof Freeze>;
