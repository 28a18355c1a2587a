import * as z from "zod";
import { commitId } from "./release-source.ts";

const instant = z.iso.datetime({ offset: true });
const digest = z.string().describe("Digest of what the stage runs with it.");

const commit = {
  revision: commitId.describe("Id of the commit."),
  subject: z.string().describe("First line of its message."),
  author: z.string().describe("Its author."),
  committedAt: z.string().describe("Its time, RFC 3339."),
};

/** A commit as a Pipeline remembers it. */
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
    .describe("What it is compared by with Releases of other stages."),
  differences: z
    .array(z.string())
    .optional()
    .describe("How it differs from Releases of the stages before, beside what is declared."),
});

export type PlannedRelease = z.output<typeof planned>;

/** A commit that changes a stage. */
export const pipelineCandidate = z.object({
  number: z.int32().min(1).describe("Place in the order of candidates."),
  ...commit,
  releases: z.array(planned).describe("What it renders to, by Release."),
});

export type Candidate = z.output<typeof pipelineCandidate>;

/** What a stage waits for. */
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
      "Idle: nothing to do. Waiting: `next` waits at a gate. Proving, Passed, Failed: of the last Promotion. Held: it stays where it is.",
    ),
  running: z
    .object({
      ...target,
      digest: digest.optional(),
      revision: target.revision.optional(),
      proven: z.boolean().describe("Whether this digest has passed the stage."),
    })
    .optional()
    .describe("What the Releases run. Absent fields: they run different commits, or nothing."),
  promotion: z
    .object({
      name: z.string().describe("Name of the Promotion."),
      number: z.int32().describe("Its place among those of the stage."),
      ...target,
      message: z.string().optional().describe("Why it failed. What it waits for is in its own status."),
      unproven: z
        .array(z.string())
        .optional()
        .describe("Stages that come before and have not passed the commit."),
    })
    .optional()
    .describe("The last Promotion of the stage: what is proven, or was proven last."),
  failedSince: instant.optional().describe("When it failed. Absent once a Promotion has passed it."),
  next: z
    .object(target)
    .optional()
    .describe("The candidate that starts when the gates are open and the slot is free."),
  waiting: z
    .array(
      z.object({
        gate: z.enum(gateNames).describe("What is waited for."),
        message: z.string().describe("What it has, and what it needs."),
        until: instant.optional().describe("When it opens."),
        blocked: z
          .boolean()
          .optional()
          .describe("It cannot open without a change of the Pipeline or the platform."),
      }),
    )
    .optional()
    .describe("The gates that are closed for `next`, or for the stage."),
  problems: z
    .array(z.string())
    .optional()
    .describe("Releases that are not moved or not ready, and commits that cannot be planned."),
});

export type StageStatus = z.output<typeof stageStatus>;
