import * as z from "zod";
import { commitId } from "./source.ts";

const instant = z.iso.datetime({ offset: true });
const digest = z.string().describe("Digest of what the stage runs with it.");

const commit = {
  revision: commitId.describe("Id of the commit."),
  subject: z.string().describe("First line of its message."),
  author: z.string().describe("Its author."),
  committedAt: z.string().describe("Its time, RFC 3339."),
};

/** A commit as the status of a Pipeline records it. */
export const pipelineCommit = z.object({
  ...commit,
  tree: z.string().describe("Id of the git tree of the source's folder."),
});

export type PipelineCommit = z.output<typeof pipelineCommit>;

const planned = z.object({
  release: z.string().describe("Release, as `namespace/name`."),
  digest: z.string().optional().describe("Digest of what the commit renders to."),
  error: z.string().optional().describe("Why it cannot be planned."),
  mutableImages: z.int32().min(1).optional().describe("Images that are not named by digest."),
  compared: z
    .array(
      z.object({
        rules: z.string().describe("Digest of the declared differences of a stage."),
        digest: z.string().describe("Digest of the manifests without them."),
      }),
    )
    .optional()
    .describe("Digests by which it is compared with Releases of other stages."),
  differences: z
    .array(z.string())
    .optional()
    .describe("Undeclared differences from Releases of earlier stages."),
});

export type PlannedRelease = z.output<typeof planned>;

/** A commit that changes a stage. */
export const pipelineCandidate = z.object({
  number: z.int32().min(1).describe("Number in the order of candidates."),
  ...commit,
  releases: z.array(planned).describe("Plans of the commit, by Release."),
  requested: z
    .boolean()
    .optional()
    .describe("Whether it had been removed, and is added again for a user's request until that has started."),
});

export type Candidate = z.output<typeof pipelineCandidate>;

/** Gates that a stage may wait for. */
export const gateNames = [
  "Plan",
  "Releases",
  "Order",
  "Suspended",
  "Hold",
  "Freeze",
  "Windows",
  "Approvals",
  "Images",
  "Differences",
  "Slot",
  "Failed",
] as const;

export type GateName = (typeof gateNames)[number];

const target = { revision: z.string().describe("Commit."), digest };

export const stageStatus = z.object({
  name: z.string().describe("Name of the stage."),
  phase: z
    .enum(["Idle", "Waiting", "Proving", "Passed", "Failed", "Held"])
    .describe(
      "Idle: there is no candidate to start. Waiting: a gate is closed for `next`. Proving, Passed, Failed: the phase of the last Promotion. Held: a user holds the stage at its last Promotion.",
    ),
  running: z
    .object({
      ...target,
      digest: digest.optional(),
      revision: target.revision.optional(),
      proven: z.boolean().describe("Whether this digest has passed the stage."),
    })
    .optional()
    .describe(
      "What the Releases run. Fields are absent if the Releases run different commits, or nothing. While the stage proves a Promotion, it may be what they ran before.",
    ),
  promotion: z
    .object({
      name: z.string().describe("Name of the Promotion."),
      number: z.int32().describe("Its number among the Promotions of the stage."),
      ...target,
      message: z
        .string()
        .optional()
        .describe("Why it failed. The condition Ready of the Pipeline says what it must prove."),
      unproven: z.array(z.string()).optional().describe("Earlier stages that have not passed the commit."),
    })
    .optional()
    .describe("The last Promotion of the stage."),
  failedSince: instant
    .optional()
    .describe("When the stage failed. Absent after a later Promotion has passed."),
  next: z
    .object(target)
    .optional()
    .describe("The candidate that starts when the gates are open and the slot is free."),
  waiting: z
    .array(
      z.object({
        gate: z.enum(gateNames).describe("Name of the gate."),
        message: z.string().describe("Why the gate is closed."),
        until: instant.optional().describe("When it opens."),
        blocked: z
          .boolean()
          .optional()
          .describe("Whether it cannot open without a change of the Pipeline or the platform."),
        excluded: z
          .array(z.string())
          .optional()
          .describe("Users whose Approvals do not count: authors of the commits, at most 100."),
      }),
    )
    .optional()
    .describe("The gates that are closed for `next`, or for the stage."),
  problems: z
    .array(z.string())
    .optional()
    .describe(
      "Windows that cannot be evaluated, Releases that cannot be deployed or are not ready, and commits that cannot be planned.",
    ),
});

export type StageStatus = z.output<typeof stageStatus>;
