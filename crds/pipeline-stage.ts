import * as z from "zod";
import { durationSchema } from "./duration-schema.ts";
import { exactlyOne } from "./exactly-one.ts";
import { objectName } from "./source.ts";
import { stageDifferences } from "./stage-differences.ts";
import { stageName } from "./stage-names.ts";

/** Schema of a duration without a default. */
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
    count: z.int32().min(1).max(16).default(1).describe("Number of users who must approve."),
    groups: z
      .array(z.string().min(1).max(512))
      .min(1)
      .max(32)
      .optional()
      .describe(
        "Only approvals by members of one of these groups count. Default: those of all users who may approve.",
      ),
    notAuthor: z
      .boolean()
      .optional()
      .describe(
        "Approvals by authors of the commits do not count. The gate is closed while the user name of an author is not known.",
      ),
  })
  .describe("Approvals that a digest needs before the stage starts it.");

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
      .describe(
        "When the stage may start candidates. `deny` has precedence; without `allow`, every other time is allowed.",
      ),
  })
  .describe("Conditions for starting a candidate.");

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
      .describe("How long all objects must have been healthy without interruption. Default: `0s`."),
    verify: z
      .array(verification)
      .max(16)
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] })
      .optional()
      .describe("Jobs that must succeed."),
    timeout: duration(1_000)
      .optional()
      .describe(
        "Time after the deployment at which a candidate that has not passed fails. Default: the soak plus 1h.",
      ),
  })
  .describe("Conditions for passing the stage.");

export const pipelineStage = z
  .object({
    name: stageName.describe("Name of the stage, unique in the Pipeline and without a dot."),
    after: z
      .array(stageName)
      .max(32)
      .optional()
      .describe("Stages that a candidate must pass first. Default: the previous stage."),
    releases: z
      .array(
        z.object({
          name: objectName.describe("Name of a Release with `source.ref.pipeline` and `source.ref.stage`."),
          namespace: objectName
            .max(63)
            .optional()
            .describe("Its namespace. Default: the namespace of the Pipeline."),
          counterpart: objectName
            .optional()
            .describe(
              "Name of the Releases of earlier stages that it is compared with, if the stage has `differences`. Default: the same name, or else the only Release of the earlier stage.",
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
        "`Hold`: the failed candidate stays deployed. `RollBack`: the stage is rolled back to the last digest that passed, once.",
      ),
    supersede: z
      .boolean()
      .optional()
      .describe(
        "Whether a newer candidate replaces one that is being proven. Default: true if the stage has no soak and no verifications. After n replacements in a row the next one takes at least 2^n minutes.",
      ),
    differences: stageDifferences
      .optional()
      .describe(
        "How its manifests may differ from those of earlier stages. Any other difference prevents a candidate from starting. Default: manifests are not compared.",
      ),
    requireImageDigests: z
      .boolean()
      .optional()
      .describe("Do not start a candidate that has images without a digest."),
    formerly: z
      .array(stageName)
      .max(8)
      .optional()
      .describe("Earlier names of the stage. Its Promotions under these names count."),
  })
  .describe("One stage.");

export type PipelineStage = z.output<typeof pipelineStage>;
