import * as z from "zod";
import { durationSchema } from "./duration-schema.ts";
import { exactlyOne } from "./exactly-one.ts";
import { defineKind, type ResourceOf, type SpecOf } from "./kind.ts";
import { pipelineStage } from "./pipeline-stage.ts";
import { pipelineCandidate, pipelineCommit, stageStatus } from "./pipeline-status.ts";
import type { RecordOf } from "./record.ts";
import { objectName } from "./source.ts";

const secretRef = z.object({ name: objectName.describe("Name of a Secret in the Pipeline's namespace.") });

const source = z
  .object({
    url: z
      .string()
      .min(1)
      .max(2_048)
      .describe(
        "The git repository: https://, ssh://, user@host:path, or file:// where the operator allows it.",
      ),
    ref: exactlyOne(
      {
        branch: z.string().min(1).max(255).optional().describe("The newest commit of a branch."),
        tag: z.string().min(1).max(255).optional().describe("The commit of one tag."),
        semver: z
          .string()
          .min(1)
          .max(255)
          .optional()
          .describe("The highest tag in a range of semantic versions, such as `>=1.2.0 <2.0.0` or `~1.4`."),
      },
      "Ref of the repository to follow. Default: the branch `main`.",
    ).optional(),
    path: z
      .string()
      .max(1_024)
      .default(".")
      .describe("Folder in the repository that contains the folders of all Releases. Default: its root."),
    secretRef: secretRef
      .optional()
      .describe(
        "Credentials: `username` and `password`, `bearerToken`, or `identity` and `known_hosts`; `ca.crt` for https.",
      ),
    verify: z
      .object({
        secretRef: secretRef.describe(
          "Keys that may sign: entries ending in `.pub` are SSH public keys, in `.asc` OpenPGP public keys.",
        ),
      })
      .optional()
      .describe("Follow only commits that one of these keys signed."),
  })
  .describe("Where the commits come from.");

const spec = z
  .object({
    source,
    serviceAccountName: objectName
      .optional()
      .describe(
        "ServiceAccount in the Pipeline's namespace with whose permissions the Secrets of `source` are read. Default: the operator's own.",
      ),
    interval: durationSchema("1m", 1_000).describe("How often the remote is polled."),
    stages: z
      .array(pipelineStage)
      .min(1)
      .max(32)
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] })
      .describe("The stages, in order."),
    suspend: z
      .boolean()
      .default(false)
      .describe("Start no candidate. Promotions that have started continue."),
    historyLimit: z
      .int32()
      .min(0)
      .max(1_000)
      .default(20)
      .describe("Number of Promotions to keep in addition to those that explain what runs or may run next."),
  })
  .describe("The source of the commits, and the stages.");

const messageColumn = {
  name: "Message",
  type: "string",
  jsonPath: '.status.conditions[?(@.type=="Ready")].message',
  description: "Why the resource is ready or not.",
} as const;

/** Stages to which the commits of a source are deployed in order, each with its conditions for starting and passing. */
export const Pipeline = defineKind({
  group: "fairlead.dev",
  kind: "Pipeline",
  plural: "pipelines",
  shortNames: ["pl"],
  description:
    "Pipeline deploys commits of a Git repository to stages, one after another. A stage consists of Releases; it starts a commit after the earlier stages have passed it.",
  versions: [
    {
      name: "v1alpha1",
      spec,
      status: z.object({
        head: pipelineCommit.optional().describe("The newest commit of the source."),
        planning: pipelineCommit.optional().describe("The commit that the Releases plan, or planned last."),
        candidates: z
          .array(pipelineCandidate)
          .max(512)
          .optional()
          .describe(
            "Commits that change a stage, the oldest first. Commits that no stage can start any more are removed.",
          ),
        stages: z.array(stageStatus).optional().describe("The stages."),
        shortRevision: z
          .string()
          .optional()
          .describe("The first 12 characters of `head.revision`, for `kubectl get`."),
        summary: z.string().optional().describe("The phases of the stages, for `kubectl get`."),
      }),
    },
  ],
  columns: [
    {
      name: "Head",
      type: "string",
      jsonPath: ".status.shortRevision",
      description: "Newest commit of the source.",
    },
    {
      name: "Stages",
      type: "string",
      jsonPath: ".status.summary",
      description: "Phase and commit of each stage.",
    },
  ],
  lastColumns: [messageColumn],
});

export type PipelineResource = ResourceOf<typeof Pipeline>;
export type PipelineSpec = SpecOf<typeof Pipeline>;
export type PipelineRecord = RecordOf<typeof Pipeline, "head" | "planning" | "candidates">;
