import * as z from "zod";
import { durationSchema } from "./duration-schema.ts";
import { healthCheck } from "./health-check.ts";
import { inventory } from "./inventory.ts";
import { defineKind, type ResourceOf, type SpecOf, type StatusOf } from "./kind.ts";
import { deployedState, manifestsDigest, nextCommit, nextPlan } from "./release-next.ts";
import { releaseRender } from "./render.ts";
import { commitId, objectName, releaseSource } from "./source.ts";
import { APPROVE_PRUNE } from "./status.ts";

const target = z
  .object({
    namespace: objectName
      .max(63)
      .optional()
      .describe("Namespace of objects that set none. Default: that of the Release."),
    createNamespace: z.boolean().default(false).describe("Create the target namespace if it does not exist."),
    serviceAccountName: objectName
      .optional()
      .describe(
        "ServiceAccount in the Release's namespace to impersonate in every request for this Release.",
      ),
    labels: z.record(z.string(), z.string()).optional().describe("Added to every object."),
    annotations: z.record(z.string(), z.string()).optional().describe("Added to every object."),
  })
  .describe("Where the objects are deployed.");

const historyEntry = z
  .object({
    revision: commitId.describe("The commit that was deployed."),
    digest: z.string().describe("Digest of all its manifests."),
    author: z.string().describe("Author of the commit."),
    subject: z.string().describe("First line of its message."),
    committedAt: z.string().describe("Time of the commit, RFC 3339."),
    deployedAt: z.string().describe("Time when all its objects had been applied, RFC 3339."),
    outcome: z
      .enum(["Progressing", "Ready", "Failed", "Superseded"])
      .describe(
        "Outcome of the deployment: `Superseded` means that another revision replaced it before it was ready.",
      ),
  })
  .describe("One deployed revision.");

/** One folder of manifests, or one TypeScript program, from a git commit, deployed to one target in a cluster. */
export const Release = defineKind({
  group: "fairlead.dev",
  kind: "Release",
  plural: "releases",
  shortNames: ["rel"],
  description: "Release deploys the manifests at a Git revision and keeps the cluster in sync with them.",
  versions: [
    {
      name: "v1alpha1",
      spec: z
        .object({
          source: releaseSource,
          interval: durationSchema("1m", 1_000).describe("How often the remote is polled."),
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
                    "Its namespace. Default: that of this Release. A Release in another namespace must allow this with the annotation fairlead.dev/allow-dependents.",
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
            .describe("What happens to the objects when the Release is deleted."),
          timeout: durationSchema("5m", 1_000).describe(
            "Time after which an object that is not healthy counts as failed.",
          ),
          healthChecks: z.array(healthCheck).max(32).optional().describe("Health checks in CEL, per kind."),
          publish: z
            .object({
              branch: z
                .string()
                .min(1)
                .max(255)
                .optional()
                .describe("Branch of the operator's repository. Default: the branch of the operator."),
              path: z
                .string()
                .max(1_024)
                .optional()
                .describe("Folder on that branch. Default: the folder of the operator."),
            })
            .optional()
            .describe(
              "Where the rendered manifests are committed. Without a repository nothing is committed.",
            ),
          suspend: z.boolean().default(false).describe("Do not reconcile the Release."),
          revision: commitId
            .optional()
            .describe("Deploy this commit instead of `source.ref`, for example to roll back."),
          digest: manifestsDigest
            .optional()
            .describe(
              "Digest that the manifests of `revision` must have. If they have another one, nothing is applied.",
            ),
          next: nextCommit.optional(),
        })
        .describe("What to deploy and where."),
      status: z.object({
        revision: z
          .string()
          .optional()
          .describe("Newest commit that changed the manifests and is fully applied."),
        shortRevision: z.string().optional().describe("Prefix of `revision`, for `kubectl get`."),
        deployed: deployedState.optional(),
        next: nextPlan.optional(),
        ignored: z
          .string()
          .optional()
          .describe(
            "The ref that is ignored because the Release is pinned; `everything` if it is suspended.",
          ),
        attempted: z.string().optional().describe("The commit that is being deployed or that failed."),
        observedHead: z.string().optional().describe("Commit of the source's ref at the last poll."),
        lastHandledRequest: z
          .string()
          .optional()
          .describe("Value of the annotation fairlead.dev/requested-at that was handled last."),
        inventory: inventory
          .optional()
          .describe(
            "The objects of this Release. The operator changes and deletes only these, so only the operator may write this field.",
          ),
        history: z.array(historyEntry).max(10).optional().describe("Deployed revisions, newest first."),
      }),
    },
  ],
  columns: [
    { name: "Revision", type: "string", jsonPath: ".status.shortRevision", description: "Deployed commit." },
    {
      name: "Ignored",
      type: "string",
      jsonPath: ".status.ignored",
      description: "The ref that is ignored because the Release is pinned; `everything` if it is suspended.",
    },
  ],
  lastColumns: [
    {
      name: "Message",
      type: "string",
      jsonPath: '.status.conditions[?(@.type=="Ready")].message',
      description: "Why the resource is ready or not.",
    },
  ],
});

export type ReleaseResource = ResourceOf<typeof Release>;
export type ReleaseSpec = SpecOf<typeof Release>;
export type ReleaseStatus = StatusOf<typeof Release>;
export type ReleaseHistoryEntry = z.output<typeof historyEntry>;
/** The field `status.next`. */
export type NextPlan = z.output<typeof nextPlan>;

/** Annotations of a Release. All but the last one are set by users and the command line. */
export const releaseAnnotations = {
  /** Any text, such as a time: a new value makes the operator poll the remote at once. */
  requestedAt: "fairlead.dev/requested-at",
  /** A commit id: approves its prune. */
  approvePrune: APPROVE_PRUNE,
  /** Namespaces, separated by commas, whose Releases may depend on this one; `*`: any. */
  allowDependents: "fairlead.dev/allow-dependents",
  /** The ids of the objects, from the operator, until the status has them; see SealedRecords. */
  recorded: "fairlead.dev/recorded-objects",
} as const;
