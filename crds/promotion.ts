import * as z from "zod";
import { defineKind, type ResourceOf, type SpecOf } from "./kind.ts";
import type { RecordOf } from "./record.ts";
import { commitId, objectName } from "./source.ts";
import { immutableSpec, pipelineName, stageDigest, stageName } from "./stage-names.ts";

const instant = z.iso.datetime({ offset: true });
const userName = z.string().min(1).max(512);

/** Gates that a Promotion may skip. */
export const bypassable = [
  "Approvals",
  "Windows",
  "Freeze",
  "Order",
  "Soak",
  "Verify",
  "Differences",
] as const;

export type Bypass = (typeof bypassable)[number];

const approval = z
  .object({
    name: z.string().describe("Name of the Approval."),
    uid: z.string().describe("Its uid."),
    by: z.string().describe("User who approved."),
    at: z.string().describe("When it was created."),
    digest: z.string().describe("The digest that it approves."),
  })
  .describe("An Approval as it was when the Promotion was created.");

export type CountedApproval = z.output<typeof approval>;

const namesBypass = "needs `by` and `reason`";

const spec = z
  .object({
    pipeline: pipelineName.describe("Name of the Pipeline, in the same namespace."),
    stage: stageName.describe("Name of the stage."),
    revision: commitId.describe("The commit that the stage is to run."),
    digest: stageDigest
      .optional()
      .describe("Digest of what the stage is to run. Default: that of the Releases' plans of the commit."),
    releases: z
      .array(
        z.object({
          name: objectName.describe("Name of the Release."),
          namespace: objectName.max(63).describe("Its namespace."),
          digest: z.string().min(1).max(64).describe("Digest of its manifests."),
        }),
      )
      .max(256)
      .optional()
      .describe("The Releases of the stage. Set by the Pipeline."),
    by: userName
      .optional()
      .describe(
        "Name of the user who requests it. The API server rejects any other name than that of the requesting user.",
      ),
    reason: z.string().min(1).max(1_024).optional().describe("The reason, shown to users."),
    hold: z
      .boolean()
      .optional()
      .describe("Hold the stage at this commit until this Promotion is deleted or another one is requested."),
    bypass: z
      .array(z.enum(bypassable))
      .max(bypassable.length)
      .optional()
      .describe("Gates to skip. Needs the permission `bypass`, and `by` and `reason`."),
    approvals: z
      .array(approval)
      .max(256)
      .optional()
      .describe("The approvals that counted. Set by the Pipeline."),
    number: z
      .int32()
      .min(1)
      .optional()
      .describe("Number among the Promotions of the stage. Set by the Pipeline."),
    candidate: z.int32().min(0).optional().describe("Number of the candidate. Set by the Pipeline."),
    attempt: z
      .int32()
      .min(1)
      .optional()
      .describe("Number of the attempt at this digest. Set by the Pipeline."),
    provenBy: z
      .string()
      .max(253)
      .optional()
      .describe(
        "An earlier Promotion with which this digest passed the stage, so that only health is required. Set by the Pipeline.",
      ),
    rollback: z
      .boolean()
      .optional()
      .describe("True for an automatic rollback after a failure. Set by the Pipeline."),
    committedAt: z
      .string()
      .max(64)
      .optional()
      .describe("Time of the commit, if it has not passed the stage before. Set by the Pipeline."),
    failedSince: instant
      .optional()
      .describe(
        "When the stage failed, if it had failed before this Promotion was created. Set by the Pipeline.",
      ),
    request: z
      .object({
        name: z.string().describe("Name of the Promotion."),
        uid: z.string().describe("Its uid."),
        at: z.string().describe("When it was created."),
        replaces: z
          .array(z.string())
          .optional()
          .describe(
            "Uids of the other requests for the stage that existed when the Pipeline started this one, without those of more than a minute before it. They are not started any more.",
          ),
      })
      .optional()
      .describe("The Promotion with which a user requested this one. Set by the Pipeline."),
  })
  .refine(
    ({ bypass = [], by, reason }) => bypass.length === 0 || (by !== undefined && reason !== undefined),
    {
      path: ["bypass"],
      error: namesBypass,
    },
  )
  .meta({
    "x-kubernetes-validations": [
      ...immutableSpec["x-kubernetes-validations"],
      {
        rule: "!has(self.bypass) || size(self.bypass) == 0 || (has(self.by) && has(self.reason))",
        message: namesBypass,
        fieldPath: ".bypass",
      },
    ],
  })
  .describe("The stage, and the commit that it is to run.");

const verification = z.object({
  name: z.string().describe("Name of the verification."),
  job: z.string().describe("Name of its Job."),
  outcome: z.enum(["Passed", "Failed"]).describe("Passed or Failed."),
  finishedAt: instant.describe("When the Job finished."),
  message: z.string().optional().describe("Why it failed."),
});

export type VerificationOutcome = z.output<typeof verification>;

/** One attempt to deploy a commit to a stage, and its result. */
export const Promotion = defineKind({
  group: "fairlead.dev",
  kind: "Promotion",
  plural: "promotions",
  shortNames: ["promo"],
  description:
    "Promotion records that a stage of a Pipeline is to run a commit, and the result. A Pipeline creates Promotions; a user creates one to request a rollback, a hotfix or another attempt.",
  versions: [
    {
      name: "v1alpha1",
      spec,
      status: z.object({
        phase: z
          .enum(["Requested", "Proving", "Passed", "Failed", "Superseded"])
          .describe("Requested (by a user, and not started), Proving, Passed, Failed or Superseded."),
        verifications: z.array(verification).optional().describe("Verifications that have finished."),
        passedAt: instant.optional().describe("When the digest passed the stage."),
        failedAt: instant.optional().describe("When it failed."),
        lateSince: instant
          .optional()
          .describe(
            "When a Release was first not healthy again after the timeout had passed. It has the timeout from then on to become healthy.",
          ),
        reason: z
          .enum(["VerificationFailed", "ReleaseFailed", "TimedOut"])
          .optional()
          .describe("Why it failed: VerificationFailed, ReleaseFailed or TimedOut."),
        message: z.string().optional().describe("What failed."),
        startedAs: z
          .string()
          .optional()
          .describe("For a request: the Promotion that the Pipeline created for it."),
        supersededBy: z
          .string()
          .optional()
          .describe("The Promotion that replaced it before it had an outcome."),
        until: instant.optional().describe("The earliest time at which it can pass."),
        waiting: z.string().optional().describe("What it waits for."),
      }),
    },
  ],
  columns: [
    { name: "Pipeline", type: "string", jsonPath: ".spec.pipeline", description: "Name of the Pipeline." },
    { name: "Stage", type: "string", jsonPath: ".spec.stage", description: "Name of the stage." },
    { name: "Phase", type: "string", jsonPath: ".status.phase", description: "Phase of the Promotion." },
    { name: "By", type: "string", jsonPath: ".spec.by", description: "User who requested it." },
    {
      name: "Revision",
      type: "string",
      jsonPath: ".spec.revision",
      description: "The commit.",
      priority: 1,
    },
  ],
  lastColumns: [
    {
      name: "Message",
      type: "string",
      jsonPath: '.status.conditions[?(@.type=="Ready")].message',
      description: "What it waits for, or why it failed.",
    },
  ],
});

export type PromotionResource = ResourceOf<typeof Promotion>;
export type PromotionSpec = SpecOf<typeof Promotion>;
export type PromotionRecord = RecordOf<
  typeof Promotion,
  | "verifications"
  | "passedAt"
  | "failedAt"
  | "lateSince"
  | "reason"
  | "message"
  | "startedAs"
  | "supersededBy"
>;
