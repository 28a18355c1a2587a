import * as z from "zod";
import { commitId } from "./source.ts";
import { comparedManifests, comparison } from "./stage-differences.ts";

/** Digest of all manifests of a Release, in the operator's form. */
export const manifestsDigest = z.string().regex(/^[0-9a-f]{32}$/);

const count = z.int().min(0);

/** `spec.next` of a Release. */
export const nextCommit = z
  .object({
    revision: commitId.describe("The commit to plan."),
    compare: z
      .array(comparison)
      .max(32)
      .optional()
      .describe(
        "What to leave out of the manifests so that they can be compared with those of other stages. Set by the Pipeline.",
      ),
  })
  .describe("A commit to plan without deploying it: `status.next` is the plan.");

/** `status.next` of a Release. */
export const nextPlan = z
  .object({
    revision: z.string().describe("The planned commit."),
    digest: z
      .string()
      .optional()
      .describe(
        "Digest of all its manifests: `status.deployed.digest` once it is deployed. Absent if they could not be rendered.",
      ),
    create: count.optional().describe("Number of objects to be created. Absent if the plan failed."),
    change: count
      .optional()
      .describe("Number of objects to be changed, or recreated because an immutable field changes."),
    delete: count.optional().describe("Number of objects to be deleted."),
    held: count.optional().describe("Number of objects whose deletion would need approval."),
    mutableImages: count
      .optional()
      .describe("Number of container images without a digest: their content can change without a commit."),
    compared: z
      .array(comparedManifests)
      .optional()
      .describe("Digests of the manifests without what `spec.next.compare` names."),
    error: z
      .string()
      .optional()
      .describe(
        "Why the commit cannot be rendered or applied. Retried with backoff if the error may be temporary.",
      ),
    inputs: z
      .string()
      .optional()
      .describe("Digest of the inputs of the plan. The commit is planned again only when this changes."),
  })
  .describe(
    "Plan of a commit that is not deployed: of `spec.next`, or of `spec.revision` if its manifests do not have `spec.digest`. Made with dry runs, with the rights and limits of the Release.",
  );

/** `status.deployed` of a Release. */
export const deployedState = z
  .object({
    revision: z
      .string()
      .describe(
        "Newest commit that changed a file in the source's folder and is fully applied. For a Release of a Pipeline, the pinned commit.",
      ),
    tree: z.string().describe("Id of the git tree of that folder."),
    digest: z.string().optional().describe("Digest of all manifests."),
    generation: z
      .int()
      .min(0)
      .optional()
      .meta({ format: "int64" })
      .describe("Generation of the Release when they were last found to be fully applied."),
    since: z
      .string()
      .optional()
      .describe("Time since when these manifests have been fully applied, RFC 3339."),
    healthySince: z
      .string()
      .optional()
      .describe(
        "Time since when all objects have been healthy without interruption, RFC 3339. Absent while an object is not healthy.",
      ),
  })
  .describe("The deployed state of the source.");
