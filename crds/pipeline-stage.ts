import * as z from "zod";
import { durationSchema } from "./duration-schema.ts";
import { exactlyOne } from "./exactly-one.ts";
import { objectName } from "./release-source.ts";
import { stageDifferences } from "./stage-differences.ts";
import { stageName } from "./stage-names.ts";

/** A span of time, without a default. */
function duration(leastMs: number) {
  return durationSchema("1h", leastMs).removeDefault();
}

const recurrence = z.object({
  cron: z.string().min(1).max(255).describe("When it begins: the five fields of cron, in local time."),
  duration: z.string().min(2).max(20).describe("How long it lasts, in elapsed time, such as `8h`."),
  timeZone: z.string().min(1).max(64).optional().describe("Name of a time zone. Default: UTC."),
});

const approvals = z
  .object({
    count: z.int32().min(1).max(16).default(1).describe("How many users must approve."),
    groups: z
      .array(z.string().min(1).max(512))
      .min(1)
      .max(32)
      .optional()
      .describe("Only users in one of these groups count. Default: all who may approve."),
    notAuthor: z
      .boolean()
      .optional()
      .describe("An author of the commits does not count. Closed while an author's user name is not known."),
  })
  .describe("Approvals that the digest needs before the stage starts it.");

const enter = z
  .object({
    approvals: approvals.optional(),
    windows: z
      .array(
        exactlyOne(
          {
            allow: recurrence.optional().describe("The stage may start."),
            deny: recurrence.optional().describe("The stage may not start."),
          },
          "A window in which the stage may start, or may not.",
        ),
      )
      .max(32)
      .optional()
      .describe("When the stage may start. `deny` wins; without an `allow` it may always start."),
  })
  .describe("What must hold before the stage starts a candidate.");

const verification = z.object({
  name: stageName.describe("Name of the verification, unique in the stage."),
  timeout: duration(1_000).optional().describe("Time after which its Job has failed. Default: `10m`."),
  template: z
    .object({
      metadata: z.looseObject({}).optional().describe("Labels and annotations of the Job."),
      spec: z.looseObject({}).describe("Spec of the Job, `batch/v1`."),
    })
    .describe("The Job. It runs in the Pipeline's namespace, once the stage is healthy."),
});

export type Verification = z.output<typeof verification>;

const pass = z
  .object({
    soak: duration(0)
      .optional()
      .describe("How long all objects must have been healthy without interruption. Default: not at all."),
    verify: z
      .array(verification)
      .max(16)
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] })
      .optional()
      .describe("Jobs that must succeed."),
    timeout: duration(1_000)
      .optional()
      .describe("Time from the deployment to the failure of what has not passed. Default: the soak and 1h."),
  })
  .describe("What must hold before a candidate has passed the stage.");

export const pipelineStage = z
  .object({
    name: stageName.describe("Name of the stage, unique in the Pipeline and without a dot."),
    after: z
      .array(stageName)
      .max(32)
      .optional()
      .describe("Stages that a candidate must have passed before. Default: the stage before this one."),
    releases: z
      .array(
        z.object({
          name: objectName.describe("Name of a Release with `source.ref.pipeline` and `source.ref.stage`."),
          namespace: objectName.max(63).optional().describe("Its namespace. Default: the Pipeline's own."),
          counterpart: objectName
            .optional()
            .describe(
              "Name of the Releases of the stages before that it is compared with, if the stage has `differences`. Default: its own name, or the only Release of the stage.",
            ),
        }),
      )
      .max(256)
      .default([])
      .describe("The Releases of the stage. A stage without Releases never passes."),
    batch: z
      .union([z.int().min(1), z.string().regex(/^([1-9][0-9]?|100)%$/)])
      .optional()
      .describe("How many Releases are deployed at once: a number or a percentage. Default: all."),
    enter: enter.optional(),
    pass: pass.optional(),
    onFailure: z
      .enum(["Hold", "RollBack"])
      .default("Hold")
      .describe(
        "`Hold`: a failed candidate stays. `RollBack`: the stage goes back to what passed last, once.",
      ),
    supersede: z
      .boolean()
      .optional()
      .describe(
        "Whether a newer candidate replaces one that is being proven. Default: only without soak and verifications.",
      ),
    differences: stageDifferences
      .optional()
      .describe(
        "In what its manifests may differ from those of the stages before. Any other difference keeps a candidate from starting. Default: they are not compared.",
      ),
    requireImageDigests: z
      .boolean()
      .optional()
      .describe("Do not start a candidate with images that are not named by digest."),
    formerly: z
      .array(stageName)
      .max(8)
      .optional()
      .describe("Earlier names of the stage: what it proved under them counts."),
  })
  .describe("One stage.");

export type PipelineStage = z.output<typeof pipelineStage>;
