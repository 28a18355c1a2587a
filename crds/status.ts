import * as z from "zod";
import { Condition, conditionsOf } from "./conditions.ts";

/** The published state of a resource, so that the operator need not read the repository after a restart. */
export const Published = z
  .object({
    digest: z.string().describe("Digest over the manifests that were published."),
    tree: z.string().describe("Id of the git tree of the resource's folder."),
    commit: z.string().describe("Id of the last commit that changed the folder."),
    place: z.string().optional().describe("Id of the repository, branch and path that the folder is in."),
  })
  .describe("The published state of this resource. Absent without a repository.");

export type Published = z.output<typeof Published>;

/** The fields that the engine writes to the status of every kind. */
export const engineStatus = z.object({
  conditions: conditionsOf(Condition).optional(),
  observedGeneration: z
    .int()
    .min(0)
    .optional()
    .meta({ format: "int64" })
    .describe("The generation of the resource that this status describes."),
  appliedGeneration: z
    .int()
    .min(0)
    .optional()
    .meta({ format: "int64" })
    .describe(
      "The generation whose objects were all applied, while `Applied` reports something else. A chart that drops many objects of this generation needs an approval.",
    ),
  published: Published.optional(),
});

/** Annotation whose value approves a held prune. */
export const APPROVE_PRUNE = "fairlead.dev/approve-prune";

export type EngineStatus = z.output<typeof engineStatus>;
