import * as z from "zod";
import { defineKind, type ResourceOf, type SpecOf } from "./kind.ts";
import { commitId } from "./source.ts";
import { immutableSpec, pipelineName, stageDigest, stageName } from "./stage-names.ts";

/** One person's decision on what a stage of a Pipeline would run. No controller reconciles it: Pipelines read it. */
export const Approval = defineKind({
  group: "fairlead.dev",
  kind: "Approval",
  plural: "approvals",
  shortNames: ["appr"],
  description:
    "Approval records that one user approves or rejects what a stage of a Pipeline would run. It is immutable; deleting it withdraws the decision.",
  hasStatus: false,
  versions: [
    {
      name: "v1alpha1",
      spec: z
        .object({
          pipeline: pipelineName.describe("Name of the Pipeline, in the same namespace."),
          stage: stageName.describe("Name of the stage."),
          revision: commitId.describe("The commit that the user reviewed."),
          digest: stageDigest.describe(
            "Digest of what the stage would run. The decision applies only to this digest, for any commit.",
          ),
          decision: z
            .enum(["Approve", "Reject"])
            .default("Approve")
            .describe("`Reject` fails the digest for this stage until the Approval is deleted."),
          by: z
            .string()
            .min(1)
            .max(512)
            .describe(
              "Name of the user who decides. The API server rejects any other name than that of the requesting user.",
            ),
          groups: z
            .array(z.string().min(1).max(512))
            .max(256)
            .optional()
            .describe(
              "Groups of the user that count for the stage. The API server rejects groups that the user is not in.",
            ),
          reason: z.string().max(1_024).optional().describe("The reason, shown to users."),
        })
        .meta(immutableSpec)
        .describe("The decision."),
    },
  ],
  columns: [
    { name: "Pipeline", type: "string", jsonPath: ".spec.pipeline", description: "Name of the Pipeline." },
    { name: "Stage", type: "string", jsonPath: ".spec.stage", description: "Name of the stage." },
    { name: "Decision", type: "string", jsonPath: ".spec.decision", description: "Approve or Reject." },
    { name: "By", type: "string", jsonPath: ".spec.by", description: "User who decided." },
    {
      name: "Digest",
      type: "string",
      jsonPath: ".spec.digest",
      description: "Digest of what the stage would run.",
    },
  ],
  lastColumns: [
    {
      name: "Revision",
      type: "string",
      jsonPath: ".spec.revision",
      description: "The commit that the user reviewed.",
      priority: 1,
    },
    { name: "Reason", type: "string", jsonPath: ".spec.reason", description: "The reason.", priority: 1 },
  ],
});

export type ApprovalResource = ResourceOf<typeof Approval>;
export type ApprovalSpec = SpecOf<typeof Approval>;
