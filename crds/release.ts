import * as z from "zod";
import { durationSchema } from "./duration-schema.ts";
import { healthCheck } from "./health-check.ts";
import { inventory } from "./inventory.ts";
import { defineKind, type ResourceOf, type SpecOf, type StatusOf } from "./kind.ts";
import { releaseRender } from "./release-render.ts";
import { commitId, objectName, releaseSource } from "./release-source.ts";
import { APPROVE_PRUNE } from "./status.ts";

const target = z
  .object({
    namespace: objectName
      .max(63)
      .optional()
      .describe("Namespace of objects that name none. Default: the Release's own."),
    createNamespace: z.boolean().default(false).describe("Make the target namespace if it is not there."),
    serviceAccountName: objectName
      .optional()
      .describe("ServiceAccount of the Release's namespace whose rights every request for this Release has."),
    labels: z.record(z.string(), z.string()).optional().describe("Put on every object."),
    annotations: z.record(z.string(), z.string()).optional().describe("Put on every object."),
  })
  .describe("Where the objects go.");

const historyEntry = z
  .object({
    revision: commitId.describe("The commit that was deployed."),
    digest: z.string().describe("Digest over all manifests of it."),
    author: z.string().describe("Who wrote the commit."),
    subject: z.string().describe("First line of its message."),
    committedAt: z.string().describe("When it was committed, RFC 3339."),
    deployedAt: z.string().describe("When it was applied as a whole, RFC 3339."),
    outcome: z
      .enum(["Progressing", "Ready", "Failed", "Superseded"])
      .describe("What came of it: `Superseded` means that another revision came before it was ready."),
  })
  .describe("One deployed revision.");

/** One folder of manifests, or one TypeScript program, from a git commit at one place in a cluster. */
export const Release = defineKind({
  group: "fairlead.dev",
  kind: "Release",
  plural: "releases",
  shortNames: ["rel"],
  description: "Release puts what a git commit says at one place in the cluster, and keeps it so.",
  versions: [
    {
      name: "v1alpha1",
      spec: z
        .object({
          source: releaseSource,
          interval: durationSchema("1m", 1_000).describe("How often the remote is asked for something new."),
          render: releaseRender,
          target: target.default({ createNamespace: false }),
          dependsOn: z
            .array(
              z.object({
                name: objectName.describe("Name of a Release."),
                namespace: objectName
                  .max(63)
                  .optional()
                  .describe(
                    "Its namespace. Default: this Release's own. A Release of another namespace must allow it by the annotation fairlead.dev/allow-dependents.",
                  ),
              }),
            )
            .max(64)
            .optional()
            .describe("Releases that must be ready at their newest revision before this one is applied."),
          prune: z.boolean().default(true).describe("Delete objects that are no longer in the source."),
          deletionPolicy: z
            .enum(["Delete", "Orphan"])
            .default("Delete")
            .describe("What becomes of the objects when the Release is deleted."),
          timeout: durationSchema("5m", 1_000).describe("An object that is not healthy by then has failed."),
          healthChecks: z.array(healthCheck).max(32).optional().describe("Health by CEL, per kind."),
          publish: z
            .object({
              branch: z
                .string()
                .min(1)
                .max(255)
                .optional()
                .describe("Branch of the operator's repository. Default: its own."),
              path: z
                .string()
                .max(1_024)
                .optional()
                .describe("Folder on that branch. Default: the one of every resource."),
            })
            .optional()
            .describe("Where the rendered manifests are committed. Without a repository nothing is."),
          suspend: z.boolean().default(false).describe("Leave everything as it is."),
          revision: commitId
            .optional()
            .describe("Deploy this commit instead of what `source.ref` says: to roll back, and stay there."),
        })
        .describe("What to deploy, and where."),
      status: z.object({
        revision: z
          .string()
          .optional()
          .describe("Newest commit that changed what is deployed, and is applied as a whole."),
        shortRevision: z.string().optional().describe("The beginning of `revision`, for `kubectl get`."),
        deployed: z
          .object({
            revision: z
              .string()
              .describe(
                "Newest commit that changed a file of the source's folder, and is applied as a whole.",
              ),
            tree: z.string().describe("Id of the git tree of that folder."),
          })
          .optional()
          .describe(
            "What is deployed of the source. Moves with each commit of the folder, and with no other.",
          ),
        ignored: z
          .string()
          .optional()
          .describe("What is not followed, because the Release is pinned or suspended."),
        attempted: z.string().optional().describe("The commit that is worked on, or that failed."),
        observedHead: z
          .string()
          .optional()
          .describe("Commit that the source's ref named when it was last looked at."),
        lastHandledRequest: z
          .string()
          .optional()
          .describe("Value of the annotation fairlead.dev/requested-at that was acted on last."),
        inventory: inventory
          .optional()
          .describe(
            "The objects of this Release. Only these are changed or deleted for it, so only the operator may write this.",
          ),
        history: z.array(historyEntry).max(10).optional().describe("What was deployed, newest first."),
      }),
    },
  ],
  columns: [
    { name: "Revision", type: "string", jsonPath: ".status.shortRevision", description: "Deployed commit." },
    {
      name: "Ignored",
      type: "string",
      jsonPath: ".status.ignored",
      description: "What is not followed, because the Release is pinned or suspended.",
    },
  ],
  lastColumns: [
    {
      name: "Message",
      type: "string",
      jsonPath: '.status.conditions[?(@.type=="Ready")].message',
      description: "Why it is ready, or why not.",
    },
  ],
});

export type ReleaseResource = ResourceOf<typeof Release>;
export type ReleaseSpec = SpecOf<typeof Release>;
export type ReleaseStatus = StatusOf<typeof Release>;
export type ReleaseHistoryEntry = z.output<typeof historyEntry>;

/** Annotations that people and the command line put on a Release. */
export const releaseAnnotations = {
  /** Any text, such as a time: a new one makes the operator look at the remote at once. */
  requestedAt: "fairlead.dev/requested-at",
  /** A commit: what it would prune is approved. */
  approvePrune: APPROVE_PRUNE,
  /** Namespaces, separated by commas, whose Releases may depend on this one; `*`: any. */
  allowDependents: "fairlead.dev/allow-dependents",
} as const;
